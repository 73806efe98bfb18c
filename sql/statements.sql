-- Statements that both databases share. Each is correct under READ COMMITTED alone, or follows a
-- statement that locked its rows. Parameters are numbered in the order of their first use.

-- name: find_live_key
-- why: who holds a unique key, with the lease if it runs
select id, fence, claim_id, kind from {ns}jobs where queue = $1 and unique_key = $2;

-- name: replace_waiting
-- why: a newer intent for a key whose job waits; one that ever ran starts a new revision, so that
-- why: its idempotency key does not stand for two payloads
update {ns}jobs
   set kind = $1, payload = $2, priority = $3, run_at = $4, max_attempts = $5, timeout_ms = $6,
       group_key = $7, headers = $8, message_id = $9, trace = $10, attempt = 0,
       cancel_requested_at = null,
       revision = revision + case when fence > 0 then 1 else 0 end
 where id = $11 and fence = $12 and claim_id is null;

-- name: rearm_running
-- why: a newer intent for a key whose job runs: kept aside until the attempt ends
update {ns}jobs set next_payload = $1 where id = $2 and fence = $3 and claim_id = $4;

-- name: settle_wait
-- why: ends a lease and lets the job wait again, its attempt counted or given back
-- plan: pinned
update {ns}jobs
   set claim_id = null, run_at = $1, attempt = $2
 where id = $3 and fence = $4 and claim_id = $5;

-- name: settle_rearm
-- why: ends a lease of a job that was re-armed: new payload, new revision, new budget
-- plan: pinned
update {ns}jobs
   set claim_id = null, run_at = $1, attempt = 0, revision = revision + 1,
       payload = next_payload, next_payload = null, cancel_requested_at = null
 where id = $2 and fence = $3 and claim_id = $4 and next_payload is not null;

-- name: insert_attempt
-- why: what became of an attempt that did not succeed; a repeat of the same settle changes nothing
-- plan: pinned
insert into {ns}attempts (job_id, fence, revision, attempt, outcome, failure_class, message,
                          worker, started_at, ended_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (job_id, fence) do nothing;

-- name: count_outcome
-- why: how often this revision ended so since it last had a fresh budget (decode rule): of its last
-- why: attempts as many were paid by this budget as it has counted
-- plan: pinned
select count(*)
  from (select outcome from {ns}attempts
         where job_id = $1 and revision = $2 and outcome not in ('snoozed', 'released')
         order by fence desc limit $3) as paid
 where outcome = $4;

-- name: recent_outcomes
-- why: how many attempts in a row were lost with their worker (crash allowance)
-- plan: pinned
select outcome from {ns}attempts where job_id = $1 and revision = $2 order by fence desc limit 10;

-- name: settled_by
-- why: how a lease ended, if it did: tells an answer that was lost from a lease that was lost
-- plan: pinned
select outcome from {ns}attempts where job_id = $1 and fence = $2
union all
select state from {ns}history where id = $1 and fence = $2;

-- name: find_lease
-- why: tells a row that another transaction holds from a lease that is gone, without waiting
-- plan: pinned
select fence, claim_id from {ns}jobs where id = $1;

-- name: mark_cancel
-- why: asks the worker that runs the job to end it; a newer intent kept aside is dropped with it
update {ns}jobs set cancel_requested_at = $1, next_payload = null
 where id = $2 and fence = $3 and claim_id = $4;

-- name: mark_cancel_waiting
-- why: a kind with hooks is made final only by a program that has them: it must be picked soon
update {ns}jobs set cancel_requested_at = $1, run_at = $1
 where id = $2 and fence = $3 and claim_id is null;

-- name: expired_claims
-- why: the whole of recovery reads this: claims whose lease is past, and lost ones with jobs left
select id, worker, claimed_at, lease_until, lost_at from {ns}claims
 where id > $1 and (lease_until < $2 or lost_at is not null)
 order by id limit 100;

-- name: expired_workers
-- why: leases of several workers that run out together are told from those of a dead one
select count(distinct worker) from {ns}claims where lease_until < $1 and lost_at is null;

-- name: mark_claim_lost
-- why: judges a lease under the very end that was read; a renewal in between wins
update {ns}claims set lost_at = $1 where id = $2 and lease_until = $3 and lost_at is null;

-- name: delete_claim
-- why: a claim goes with its last job; the worker guard keeps strangers out
-- plan: pinned
delete from {ns}claims where id = $1 and worker = $2;

-- name: next_group
-- why: rotation over the groups that have work, by skipping along the hot index. Not min(): planned
-- why: when the table is empty that reads the whole range, and the plan is kept
-- plan: pinned
select group_key from {ns}jobs where queue = $1 and group_key > $2 order by group_key limit 1;

-- name: live_queues
-- why: the queues that have live jobs, a page at a time, by skipping along the hot index
with recursive q(queue) as (
  select min(queue) from {ns}jobs where queue > $1
  union all
  select (select min(j.queue) from {ns}jobs j where j.queue > q.queue) from q
   where q.queue is not null)
select queue from q where queue is not null limit 1000;

-- name: read_house
-- why: all that a worker asks each second or two in one question: whether leases are past (2), run
-- why: (1) or there are none (0); the policies of queues; those of kinds and their hooks
select 0 as about, '' as name,
       case when exists (select 1 from {ns}claims where lease_until < $1 or lost_at is not null)
            then 2
            when exists (select 1 from {ns}claims) then 1
            else 0 end as first,
       null as timeout_ms, null as max_attempts, null as retry_curve, null as retry_base_ms,
       null as retry_exponent, null as retry_cap_ms, null as retry_jitter
union all
select 1, queue, lease_ms, timeout_ms, max_attempts, retry_curve, retry_base_ms, retry_exponent,
       retry_cap_ms, retry_jitter
  from {ns}queues
union all
select 2, kind, has_hooks, timeout_ms, max_attempts, retry_curve, retry_base_ms, retry_exponent,
       retry_cap_ms, retry_jitter
  from {ns}kinds;

-- name: write_kind
-- why: what a worker says of a kind; a hook once seen stays until it is deleted by hand, because
-- why: in a rolling deploy old and new programs speak by turns
insert into {ns}kinds (kind, has_hooks, timeout_ms, max_attempts, retry_curve, retry_base_ms,
                       retry_exponent, retry_cap_ms, retry_jitter, seen_at, worker)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (kind) do update
   set has_hooks = case when {ns}kinds.has_hooks = 1 then 1 else excluded.has_hooks end,
       timeout_ms = excluded.timeout_ms, max_attempts = excluded.max_attempts,
       retry_curve = excluded.retry_curve, retry_base_ms = excluded.retry_base_ms,
       retry_exponent = excluded.retry_exponent, retry_cap_ms = excluded.retry_cap_ms,
       retry_jitter = excluded.retry_jitter, seen_at = excluded.seen_at,
       worker = excluded.worker;

-- name: write_worker
-- why: for people: who is there and what it serves
insert into {ns}workers (worker, host, pid, program, queues, kinds, started_at, seen_at)
values ($1, $2, $3, $4, $5, $6, $7, $7)
on conflict (worker) do nothing;

-- name: see_worker
-- why: for people: still there
update {ns}workers set seen_at = $1 where worker = $2;

-- name: stop_worker
-- why: for people: left in good order
update {ns}workers set seen_at = $1, stopped_at = $1 where worker = $2;

-- name: prune_workers
-- why: incarnations that were not seen for a week are of no interest
delete from {ns}workers where seen_at < $1;

-- name: insert_receipt
-- why: who did what, when and why, in the transaction that does it
insert into {ns}receipts (made_at, actor, reason, action, job_id, before, after)
values ($1, $2, $3, $4, $5, $6, $7);

-- name: find_origin
-- why: the origin that covers a job id; a job keeps its idempotency key for life
-- plan: pinned
select origin from {ns}origins where first_id <= $1 order by first_id desc limit 1;

-- name: insert_origin
-- why: later ids get a new origin after a restore
insert into {ns}origins (first_id, origin, made_at) values ($1, $2, $3)
on conflict (first_id) do update set origin = excluded.origin, made_at = excluded.made_at;

-- name: delete_quarantined
-- why: the other half of replay and discard
delete from {ns}quarantine where id = $1 and fence = $2;

-- name: discard_quarantined
-- why: an operator gave up on the job
insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                         max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                         trace, enqueued_at, attempt, fence, replay_of, finished_at, worker,
                         reason)
select id, revision, 'discarded', queue, kind, payload, priority, run_at, max_attempts,
       timeout_ms, group_key, unique_key, headers, message_id, trace, enqueued_at, attempt, fence,
       replay_of, $1, worker, $2
  from {ns}quarantine where id = $3 and fence = $4;

-- name: find_live
-- why: one live job with all that people ask about it
select j.id, j.queue, j.kind, j.payload, j.priority, j.run_at, j.attempt, j.max_attempts,
       j.timeout_ms, j.group_key, j.unique_key, j.headers, j.message_id, j.trace, j.enqueued_at,
       j.fence, j.claim_id, j.revision, j.next_payload, j.cancel_requested_at, j.replay_of,
       c.lease_until, c.worker
  from {ns}jobs j left join {ns}claims c on c.id = j.claim_id
 where j.id = $1;

-- name: find_quarantined
-- why: one quarantined job
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, null, revision, null, null,
       replay_of, quarantined_at, worker, reason, failure_class
  from {ns}quarantine where id = $1;

-- name: find_finished
-- why: the last finished revision of a job
select id, queue, kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key,
       unique_key, headers, message_id, trace, enqueued_at, fence, null, revision, null, null,
       replay_of, finished_at, worker, reason, state
  from {ns}history where id = $1 order by revision desc limit 1;

-- name: last_attempt
-- why: the newest failure of a job, for people
select message, failure_class, worker from {ns}attempts
 where job_id = $1 and failure_class is not null order by fence desc limit 1;

-- name: list_live
-- why: a page of live jobs, newest first; state is told by claim and clock. Payloads only if asked
select j.id, j.queue, j.kind, case when cast($1 as bigint) = 1 then j.payload else '' end,
       j.priority, j.run_at, j.attempt, j.max_attempts, j.timeout_ms, j.group_key, j.unique_key,
       j.headers, j.message_id, j.trace, j.enqueued_at, j.fence, j.claim_id, j.revision,
       j.next_payload, j.cancel_requested_at, j.replay_of, c.lease_until, c.worker
  from {ns}jobs j left join {ns}claims c on c.id = j.claim_id
 where j.id < $2
   and (cast($3 as text) is null
        or $3 = case when j.claim_id is not null then 'running'
                     when j.run_at <= $4 then 'ready'
                     when j.attempt > 0 then 'retrying'
                     else 'scheduled' end)
   and (cast($5 as text) is null or j.queue = $5)
   and (cast($6 as text) is null or j.kind = $6)
 order by j.id desc limit $7;

-- name: list_quarantined
-- why: a page of quarantined jobs, newest first
select id, queue, kind, case when cast($1 as bigint) = 1 then payload else '' end, priority, run_at,
       attempt, max_attempts, timeout_ms, group_key, unique_key, headers, message_id, trace,
       enqueued_at, fence, null, revision, null, null, replay_of, quarantined_at, worker, reason,
       failure_class
  from {ns}quarantine
 where id < $2
   and (cast($3 as text) is null or queue = $3)
   and (cast($4 as text) is null or kind = $4)
 order by id desc limit $5;

-- name: list_history
-- why: a page of finished jobs, newest first; an older revision of a re-armed job is its own row
select id, queue, kind, case when cast($1 as bigint) = 1 then payload else '' end, priority, run_at,
       attempt, max_attempts, timeout_ms, group_key, unique_key, headers, message_id, trace,
       enqueued_at, fence, null, revision, null, null, replay_of, finished_at, worker, reason,
       state
  from {ns}history
 where id < $2
   and (cast($3 as text) is null or state = $3)
   and (cast($4 as text) is null or queue = $4)
   and (cast($5 as text) is null or kind = $5)
 order by id desc, revision desc limit $6;

-- name: count_live
-- why: live jobs of each queue by state, and since when the oldest ready one is due
select queue,
       sum(case when claim_id is null and run_at > $1 and attempt = 0 then 1 else 0 end),
       sum(case when claim_id is null and run_at > $1 and attempt > 0 then 1 else 0 end),
       sum(case when claim_id is null and run_at <= $1 then 1 else 0 end),
       sum(case when claim_id is not null then 1 else 0 end),
       min(case when claim_id is null and run_at <= $1 then run_at end)
  from {ns}jobs group by queue;

-- name: count_quarantined
-- why: quarantined jobs of each queue
select queue, count(*) from {ns}quarantine group by queue;

-- name: count_history
-- why: finished jobs of each queue by state
select queue, state, count(*) from {ns}history group by queue, state;

-- name: read_migrations
-- why: which schema this is, and which programs may use it
select max(version), max(oldest_version) from {ns}migrations;

-- name: write_migration
-- why: remembers a step, in the transaction that made it
insert into {ns}migrations (version, name, applied_at, program, oldest_version)
values ($1, $2, $3, $4, $5);
