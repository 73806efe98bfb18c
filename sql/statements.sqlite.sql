-- Statements whose SQLite form differs from PostgreSQL's. A text may have a second part after a
-- line "-- then": it runs with the same parameters, and only if the first part changed a row.

-- name: insert_job
-- why: enqueue under a key; one that is held inserts nothing and the caller looks who holds it
insert into {ns}jobs (queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
                      unique_key, headers, message_id, trace, enqueued_at, replay_of)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (queue, unique_key) where unique_key is not null do nothing
returning id;

-- name: insert_jobs
-- why: enqueue of jobs without keys. No `returning`, which would cost as much again: ids follow one
-- why: another, and last_job_id tells the last
-- rows: 32
insert into {ns}jobs (queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
                      headers, message_id, trace, enqueued_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- only: last_job_id
-- why: the id of the row that this connection inserted last
select last_insert_rowid();

-- only: job_triggers
-- why: with triggers of the application on it, ids of one insert need not follow one another
select (select count(*) from sqlite_master where type = 'trigger' and tbl_name = '{ns}jobs')
       + (select count(*) from sqlite_temp_master where type = 'trigger' and tbl_name = '{ns}jobs');

-- only: pick_level
-- why: the next jobs of one priority level; leaving run_at's start to the cursor keeps deep
-- why: backlogs from walking rows already claimed
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, claim_id, revision,
       next_payload, cancel_requested_at, replay_of
  from {ns}jobs
 where queue = $1 and group_key = $2 and priority = $3 and run_at between $4 and $5
   and claim_id is null and kind in (select value from json_each($6))
 order by run_at, id limit $7;

-- only: insert_claim
-- why: the lease of every job that this transaction takes
insert into {ns}claims (worker, claimed_at, lease_until, ids) values ($1, $2, $3, $4)
returning id;

-- only: take_jobs
-- why: the claim itself; counters that are full stay full, and claim_id alone tells the leases apart.
-- why: One statement for all: a loop of updates by id costs half as much again
update {ns}jobs
   set attempt = min(attempt, 2147483646) + 1, fence = min(fence, 9007199254740990) + 1,
       claim_id = $1
 where id in (select value from json_each($2)) and claim_id is null;

-- only: settle_final_group
-- why: ends leases of one claim and fence, and their jobs: into history and out of jobs in one
-- why: transaction. $5 is an object of job ids, each with the start of its attempt. A job that was
-- why: re-armed is not final and stays
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                         worker, reason)
select j.id, j.revision, $1, j.queue, j.kind, j.payload, j.priority, j.run_at, j.max_attempts,
       j.timeout_ms, j.group_key, j.unique_key, j.headers, j.message_id, j.trace, j.enqueued_at,
       j.attempt, j.fence, j.replay_of, e.value, $2, $3, $4
  from json_each($5) e cross join {ns}jobs j
 where j.id = cast(e.key as integer) and j.fence = $6 and j.claim_id = $7
   and j.next_payload is null;
-- then
delete from {ns}jobs
 where id in (select cast(key as integer) from json_each($5)) and fence = $6 and claim_id = $7
   and next_payload is null;

-- only: settled_of_group
-- why: which of a group were ended by the settle just before, when it ended fewer than it was given
select h.id
  from json_each($1) e cross join {ns}history h
 where h.id = cast(e.key as integer) and h.fence = $2 and h.finished_at = $3 and h.worker = $4;

-- name: settle_quarantine
-- why: ends a lease and puts the job before a person
insert into {ns}quarantine (id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
                            group_key, unique_key, headers, message_id, trace, enqueued_at,
                            attempt, fence, revision, replay_of, quarantined_at, failure_class,
                            reason, worker)
select id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, $1, fence, revision, replay_of,
       $2, $3, $4, $5
  from {ns}jobs
 where id = $6 and fence = $7 and claim_id = $8 and next_payload is null;
-- then
delete from {ns}jobs
 where id = $6 and fence = $7 and claim_id = $8 and next_payload is null;

-- name: archive_revision
-- why: a re-armed job succeeded: the old revision gets its row, the job stays
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                         worker, reason)
select id, revision, 'succeeded', queue, kind, payload, priority, run_at, max_attempts,
       timeout_ms, group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence,
       replay_of, $1, $2, $3, null
  from {ns}jobs
 where id = $4 and fence = $5 and claim_id = $6 and next_payload is not null;

-- name: cancel_waiting
-- why: a waiting job becomes final; a claim in between wins
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, finished_at, reason)
select id, revision, 'cancelled', queue, kind, payload, priority, run_at, max_attempts,
       timeout_ms, group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence,
       replay_of, $1, $2
  from {ns}jobs
 where id = $3 and fence = $4 and claim_id is null;
-- then
delete from {ns}jobs where id = $3 and fence = $4 and claim_id is null;

-- name: lock_lease
-- why: a running job under its lease, for a decision that needs its row
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, claim_id, revision,
       next_payload, cancel_requested_at, replay_of
  from {ns}jobs
 where id = $1 and fence = $2 and claim_id = $3;

-- name: lock_claim_jobs
-- why: the jobs that still belong to a claim
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, claim_id, revision,
       next_payload, cancel_requested_at, replay_of
  from {ns}jobs
 where claim_id = $1
   and id in (select e.value from {ns}claims c, json_each(c.ids) e where c.id = $1)
 order by id;

-- name: claim_jobs_left
-- why: whether a claim still has jobs, locked by others or not
select count(*) from {ns}jobs
 where claim_id = $1
   and id in (select e.value from {ns}claims c, json_each(c.ids) e where c.id = $1);

-- name: renew_claims
-- why: one row a claim, whatever its batch; a claim that does not answer is lost with every job
update {ns}claims set lease_until = $1
 where id = $2 and worker = $3 and lost_at is null
returning id;

-- name: cancels_asked
-- why: which of the running jobs somebody wants cancelled
select id, fence from {ns}jobs
 where cancel_requested_at is not null and id in (select value from json_each($1));

-- name: replay_quarantined
-- why: back to life under its own id with a new budget; the fence goes on
insert into {ns}jobs (id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
                      group_key, unique_key, headers, message_id, trace, enqueued_at, attempt,
                      fence, revision, replay_of)
select id, queue, kind, payload, priority, $1, max_attempts, timeout_ms, group_key, unique_key,
       headers, message_id, trace, enqueued_at, 0, fence, revision, replay_of
  from {ns}quarantine where id = $2 and fence = $3
on conflict do nothing
returning id;

-- name: lock_quarantined
-- why: a quarantined job for an operator's action
select fence, queue, unique_key from {ns}quarantine where id = $1;

-- name: burn_job_ids
-- why: the next job id of a new origin, so that no id is used under two origins
select coalesce((select seq from sqlite_sequence where name = $1), 0) + 1;

-- name: has_table
-- why: tells an empty database from a queue without provoking an error
select count(*) from sqlite_master where type = 'table' and name = $1;

-- name: count_workable
-- why: what drain still waits for: jobs of a queue and of kinds that can be run here, running
-- why: anywhere or due before long
select count(*) from {ns}jobs
 where queue = $1 and kind in (select value from json_each($2)) and (claim_id is not null or run_at <= $3);

-- name: next_due
-- why: when a look for work is worth while: the ready jobs of these kinds, or else the next that is
-- why: due, each found by a probe of the hot index for every group and priority level
with recursive
groups(queue, group_key, hops) as (
  select value, '', 0 from json_each($1)
  union all
  select g.queue,
         (select j.group_key from {ns}jobs j
           where j.queue = g.queue and j.group_key > g.group_key
           order by j.group_key limit 1),
         g.hops + 1
    from groups g where g.group_key is not null and g.hops < 100),
levels(priority) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))
select min(coalesce(
         (select j.run_at from {ns}jobs j
           where j.queue = g.queue and j.group_key = g.group_key and j.priority = l.priority
             and j.run_at <= $2 and j.claim_id is null and j.kind in (select value from json_each($3))
           order by j.run_at limit 1),
         (select j.run_at from {ns}jobs j
           where j.queue = g.queue and j.group_key = g.group_key and j.priority = l.priority
             and j.run_at > $2
           order by j.run_at limit 1))),
       max(g.hops)
  from groups g cross join levels l
 where g.group_key is not null;
