-- Statements whose PostgreSQL form differs from SQLite's. Those for Session::run_many take one
-- array for each column.

-- name: insert_job
-- why: enqueue under a key; one that is held inserts nothing and the caller looks who holds it
-- plan: kept
insert into {ns}jobs (queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
                      unique_key, headers, message_id, trace, enqueued_at, replay_of)
values ($1, $2, $3, $4, coalesce($5, {ns}now_us()), $6, $7, $8, $9, $10, $11, $12,
        coalesce($13, {ns}now_us()), $14)
on conflict (queue, unique_key) where unique_key is not null do nothing
returning id;

-- only: insert_one
-- why: enqueue of one job without a key
-- plan: kept
insert into {ns}jobs (queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
                      headers, message_id, trace, enqueued_at)
values ($1, $2, $3, $4, coalesce($5, {ns}now_us()), $6, $7, $8, $9, $10, $11,
        coalesce($12, {ns}now_us()))
returning id;

-- name: insert_jobs
-- why: enqueue of many jobs without keys, ids in input order
insert into {ns}jobs (queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
                      headers, message_id, trace, enqueued_at)
select queue, kind, payload, priority, coalesce(run_at, clock.now), max_attempts, timeout_ms,
       group_key, headers, message_id, trace, coalesce(enqueued_at, clock.now)
  from (select {ns}now_us() as now offset 0) as clock,
       unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[])
       with ordinality as t(queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
                            group_key, headers, message_id, trace, enqueued_at, ord)
 order by ord
returning id;

-- only: plan_as_usual
-- why: a hook's own SQL runs in our transaction, whose planner is told to walk indexes only
select set_config(name, reset_val, true) from pg_settings
 where name in ('plan_cache_mode', 'enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin',
                'enable_mergejoin', 'jit');

-- only: claim
-- why: pick, lease and take in one statement: a lazy scan of each priority level from the cursor's
-- why: position, stopped by the limit; nothing indexed is written. Full counters stay full. A row
-- why: that is locked stays where it is, so that it is found again by its place, without the index
-- plan: pinned
with levels as (
  select (ord - 1)::integer as priority, start
    from unnest($1::bigint[]) with ordinality as t(start, ord)),
picked as materialized (
  select j.id, j.place
    from (select priority, start from levels order by priority offset 0) l
    cross join lateral (
      select id, ctid as place from {ns}jobs
       where queue = $2 and group_key = $3 and priority = l.priority
         and run_at between l.start and $4
         and claim_id is null and kind = any($5::text[])
       order by run_at, id limit $6
       for update skip locked) j
   limit $6),
lease as (
  insert into {ns}claims (worker, claimed_at, lease_until, ids)
  select $7, $4, $8, array_agg(id) from picked having count(*) > 0
  returning id)
update {ns}jobs j
   set attempt = least(j.attempt, 2147483646) + 1, fence = least(j.fence, 9007199254740990) + 1,
       claim_id = lease.id
  from picked, lease
 where j.ctid = picked.place and j.id = picked.id
returning j.id, j.queue, j.kind, j.payload, j.priority, j.run_at, j.attempt, j.max_attempts,
          j.timeout_ms, j.group_key, j.unique_key, j.headers, j.message_id, j.trace,
          j.enqueued_at, j.fence, j.claim_id, j.revision, j.next_payload, j.cancel_requested_at,
          j.replay_of, (select max(first_id) from {ns}origins);

-- only: settle_final
-- why: ends leases and jobs: into history and out of jobs in one statement, in the order of ids
-- why: and without waiting for a row that somebody holds; a job that was re-armed stays. Locked
-- why: rows are found again by their place
-- plan: pinned
with held as materialized (
  select j.id, j.ctid as place, t.started_at
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
           as t(id, fence, claim_id, started_at)
    join {ns}jobs j on j.id = t.id
   where j.fence = t.fence and j.claim_id = t.claim_id and j.next_payload is null
   order by j.id for update of j skip locked),
gone as (
  delete from {ns}jobs j using held where j.ctid = held.place and j.id = held.id
  returning j.*, held.started_at)
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                         worker, reason)
select id, revision, $5, queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
       group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence, replay_of,
       started_at, $6, $7, $8
  from gone
returning id;

-- name: settle_quarantine
-- why: ends a lease and puts the job before a person, in one statement
-- plan: pinned
with gone as (
  delete from {ns}jobs
   where id = $6 and fence = $7 and claim_id = $8 and next_payload is null
  returning *)
insert into {ns}quarantine (id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
                            group_key, unique_key, headers, message_id, trace, enqueued_at,
                            attempt, fence, revision, replay_of, quarantined_at, failure_class,
                            reason, worker)
select id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, $1, fence, revision, replay_of,
       $2, $3, $4, $5
  from gone;

-- name: archive_revision
-- why: a re-armed job succeeded: the old revision gets its row, the job (locked before) stays
-- plan: pinned
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                         worker, reason)
select id, revision, 'succeeded', queue, kind, payload, priority, run_at, max_attempts,
       timeout_ms, group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence,
       replay_of, $1::bigint, $2::bigint, $3::text, null
  from {ns}jobs
 where id = $4 and fence = $5 and claim_id = $6 and next_payload is not null;

-- name: cancel_waiting
-- why: a waiting job becomes final; a claim in between wins
with gone as (
  delete from {ns}jobs where id = $3 and fence = $4 and claim_id is null returning *)
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, finished_at, reason)
select id, revision, 'cancelled', queue, kind, payload, priority, run_at, max_attempts,
       timeout_ms, group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence,
       replay_of, $1, $2
  from gone;

-- name: lock_lease
-- why: a running job under its lease, for a decision that needs its row; never waits for it
-- plan: pinned
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, claim_id, revision,
       next_payload, cancel_requested_at, replay_of
  from {ns}jobs
 where id = $1 and fence = $2 and claim_id = $3
   for update skip locked;

-- name: lock_claim_jobs
-- why: the jobs that still belong to a claim and that nobody holds, in the order of ids
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, claim_id, revision,
       next_payload, cancel_requested_at, replay_of
  from {ns}jobs
 where claim_id = $1
   and id = any((select ids from {ns}claims where id = $1)::bigint[])
 order by id
   for update skip locked;

-- name: claim_jobs_left
-- why: whether a claim still has jobs, locked by others or not
select count(*) from {ns}jobs
 where claim_id = $1 and id = any((select ids from {ns}claims where id = $1)::bigint[]);

-- name: renew_claims
-- why: one row a claim, whatever its batch; a claim that does not answer is lost with every job.
-- why: In the order of ids, as claims that end are removed
with held as materialized (
  select c.id, t.lease_until
    from {ns}claims c
    join unnest($1::bigint[], $2::bigint[], $3::text[]) as t(lease_until, id, worker)
      on c.id = t.id and c.worker = t.worker
   where c.lost_at is null
   order by c.id for update of c)
update {ns}claims c set lease_until = held.lease_until
  from held where c.id = held.id
returning c.id;

-- name: cancels_asked
-- why: which of the running jobs somebody wants cancelled
select id, fence from {ns}jobs
 where cancel_requested_at is not null and id = any($1::bigint[]);

-- name: replay_quarantined
-- why: back to life under its own id with a new budget; the fence goes on
insert into {ns}jobs (id, queue, kind, payload, priority, run_at, max_attempts, timeout_ms,
                      group_key, unique_key, headers, message_id, trace, enqueued_at, attempt,
                      fence, revision, replay_of)
overriding system value
select id, queue, kind, payload, priority, $1, max_attempts, timeout_ms, group_key, unique_key,
       headers, message_id, trace, enqueued_at, 0, fence, revision, replay_of
  from {ns}quarantine where id = $2 and fence = $3
on conflict do nothing
returning id;

-- name: lock_quarantined
-- why: a quarantined job for an operator's action; two operators take turns
select fence, queue, unique_key from {ns}quarantine where id = $1 for update;

-- only: lock_job
-- why: waits for a transaction of ours whose commit answer was lost, then tells what it left
select fence, claim_id from {ns}jobs where id = $1 for update;

-- name: burn_job_ids
-- why: takes the next job id for a new origin, so that no id is used under two origins
select nextval(pg_get_serial_sequence($1, 'id'));

-- only: ensure_history
-- why: the days ahead that settles will need; also after a settle that met a missing one
select {ns}history_ensure($1, $2);

-- name: has_table
-- why: tells an empty database from a queue without provoking an error
select count(to_regclass($1::text));

-- only: lock_schema
-- why: one migrator at a time, for the length of its transaction; a pooler sees nothing of it
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- only: limit_lock_wait
-- why: DDL that waits for a lock makes everybody behind it wait: give up soon and try again
set local lock_timeout = '500ms';

-- only: server_now
-- why: the server's time for an enqueue with a delay on a borrowed connection
select {ns}now_us();

-- name: count_workable
-- why: what drain still waits for: jobs of a queue and of kinds that can be run here, running
-- why: anywhere or due before long
select count(*) from {ns}jobs
 where queue = $1 and kind = any($2::text[]) and (claim_id is not null or run_at <= $3);

-- name: next_due
-- why: when a look for work is worth while: the ready jobs of these kinds, or else the next that is
-- why: due, each found by a probe of the hot index for every group and priority level
-- plan: pinned
with recursive
groups(queue, group_key, hops) as (
  select queue collate "C", '' collate "C", 0 from unnest($1::text[]) as q(queue)
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
             and j.run_at <= $2 and j.claim_id is null and j.kind = any($3::text[])
           order by j.run_at limit 1),
         (select j.run_at from {ns}jobs j
           where j.queue = g.queue and j.group_key = g.group_key and j.priority = l.priority
             and j.run_at > $2
           order by j.run_at limit 1))),
       max(g.hops)
  from groups g cross join levels l
 where g.group_key is not null;

-- only: listen
-- why: the channel is called like the namespace, so that two queues in one database never meet
listen {schema};

-- only: ring
-- why: what a worker tells itself once, to find out whether it hears anything
select pg_notify({schema_text}, '');

-- only: wake_sleepers
-- why: for jobs that become ready by an update; the trigger does the same for each insert
select pg_notify({schema_text}, '')
 where pg_sequence_last_value('{ns}sleep_gate'::regclass) > {ns}now_us();

-- only: has_wake_trigger
-- why: without it nobody tells a sleeper about plain inserts
select count(*) from pg_trigger
 where tgrelid = to_regclass($1) and tgname = 'jobs_wake' and tgenabled in ('O', 'A');

-- only: drop_wake_trigger
-- why: for those who would rather have their workers look now and then
drop trigger if exists jobs_wake on {ns}jobs;

-- only: sleep
-- why: announces a sleep of so many microseconds; 0 withdraws it, since a busy worker finds what
-- why: comes by itself and being told would only cost the enqueuers
select {ns}sleep($1, $2);

-- only: sleep_horizon
-- why: a transaction id of its own is above all that were given out before. The upper end of a
-- why: snapshot is not: ids at and above it may be running already
select pg_current_xact_id()::text::bigint;

-- only: oldest_running
-- why: every transaction below it is over
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
