-- oldest: 1
-- Core tables of a Holdfast queue on SQLite (3.37 or newer: STRICT tables).
-- Times are microseconds since 1970 UTC. A constraint's name is the sentence a person reads when
-- a value is refused.

-- Which migrations ran, and the oldest program (by schema version) that can go on with each.
create table {ns}migrations (
  version integer primary key,
  name text not null,
  applied_at integer not null,
  program text not null,
  oldest_version integer not null
) strict;

-- Live jobs only, waiting and running: small and hot whatever the history. A job runs if and only
-- if claim_id is set. Claiming writes attempt, fence and claim_id, and no index mentions them.
-- Every check runs at every insert: those of columns that are mostly unset begin with that, which
-- saves a third of an insert's time.
create table {ns}jobs (
  id integer primary key autoincrement
    constraint "id is between 1 and 2^53-1" check (id between 1 and 9007199254740991),
  queue text not null default 'default'
    constraint "queue has 1 to 200 characters and no control characters"
    check (length(queue) between 1 and 200 and instr(queue, char(0)) = 0
           and queue not glob cast(x'2a5b012d1f7f5d2a' as text)),
  kind text not null
    constraint "kind has 1 to 200 characters and no control characters"
    check (length(kind) between 1 and 200 and instr(kind, char(0)) = 0
           and kind not glob cast(x'2a5b012d1f7f5d2a' as text)),
  payload text not null default ''
    constraint "payload has at most 1 MiB and no zero byte"
    check (length(cast(payload as blob)) <= 1048576 and instr(payload, char(0)) = 0),
  priority integer not null default 5
    constraint "priority is 0 (first) to 9 (last)" check (priority between 0 and 9),
  run_at integer not null
    default (cast(strftime('%s', 'now') as integer) * 1000000
             + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
    constraint "run_at is in microseconds since 1970 and before the year 10000"
    check (run_at between 0 and 253402300799999999),
  max_attempts integer
    constraint "max_attempts is 1 to 1000000" check (max_attempts is null or max_attempts between 1 and 1000000),
  timeout_ms integer
    constraint "timeout_ms is 1 to 31536000000 (a year)"
    check (timeout_ms is null or timeout_ms between 1 and 31536000000),
  group_key text not null default ''
    constraint "group_key has at most 200 characters and no control characters"
    check (group_key = ''
           or (length(group_key) <= 200 and instr(group_key, char(0)) = 0
               and group_key not glob cast(x'2a5b012d1f7f5d2a' as text))),
  unique_key text
    constraint "unique_key has 1 to 500 characters and no control characters"
    check (unique_key is null
           or (length(unique_key) between 1 and 500 and instr(unique_key, char(0)) = 0
               and unique_key not glob cast(x'2a5b012d1f7f5d2a' as text))),
  headers text
    constraint "headers have at most 64 KiB and no zero byte"
    check (headers is null
           or (length(cast(headers as blob)) <= 65536 and instr(headers, char(0)) = 0)),
  message_id text
    constraint "message_id has 1 to 200 characters and no control characters"
    check (message_id is null
           or (length(message_id) between 1 and 200 and instr(message_id, char(0)) = 0
               and message_id not glob cast(x'2a5b012d1f7f5d2a' as text))),
  trace text
    constraint "trace has at most 500 characters and no control characters"
    check (trace is null
           or (length(trace) <= 500 and instr(trace, char(0)) = 0
               and trace not glob cast(x'2a5b012d1f7f5d2a' as text))),
  enqueued_at integer not null
    default (cast(strftime('%s', 'now') as integer) * 1000000
             + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
    constraint "enqueued_at is in microseconds since 1970 and before the year 10000"
    check (enqueued_at between 0 and 253402300799999999),
  attempt integer not null default 0
    constraint "attempt is 0 to 2^31-1" check (attempt between 0 and 2147483647),
  fence integer not null default 0
    constraint "fence is 0 to 2^53-1" check (fence between 0 and 9007199254740991),
  claim_id integer,
  revision integer not null default 1
    constraint "revision is 1 to 2^53-1" check (revision between 1 and 9007199254740991),
  next_payload text
    constraint "next_payload has at most 1 MiB and no zero byte"
    check (next_payload is null
           or (length(cast(next_payload as blob)) <= 1048576 and instr(next_payload, char(0)) = 0)),
  cancel_requested_at integer,
  replay_of integer,
  constraint "only a running job is re-armed" check (next_payload is null or claim_id is not null)
) strict;

-- The one hot index; the row id ends every SQLite index, so it is (…, run_at, id).
create index {ns}jobs_hot on {ns}jobs (queue, group_key, priority, run_at);

create unique index {ns}jobs_unique on {ns}jobs (queue, unique_key) where unique_key is not null;

-- One row per claim transaction: the lease of every job in it. ids is a JSON array.
create table {ns}claims (
  id integer primary key autoincrement,
  worker text not null,
  claimed_at integer not null,
  lease_until integer not null,
  lost_at integer,
  ids text not null
) strict;

-- Jobs that used up their attempts or can never succeed. Nothing prunes this table.
create table {ns}quarantine (
  id integer primary key,
  queue text not null,
  kind text not null,
  payload text not null,
  priority integer not null,
  run_at integer not null,
  max_attempts integer,
  timeout_ms integer,
  group_key text not null,
  unique_key text,
  headers text,
  message_id text,
  trace text,
  enqueued_at integer not null,
  attempt integer not null,
  fence integer not null,
  revision integer not null,
  replay_of integer,
  quarantined_at integer not null,
  failure_class text not null
    constraint "failure_class is application, external, data, lost or timeout"
    check (failure_class in ('application', 'external', 'data', 'lost', 'timeout')),
  reason text not null,
  worker text
) strict;

-- Finished jobs, append-only. `state in (…)` would build a table of its own for each insert, which
-- costs more than the insert does.
create table {ns}history (
  id integer not null,
  revision integer not null,
  state text not null
    constraint "state is succeeded, cancelled or discarded"
    check (state = 'succeeded' or state = 'cancelled' or state = 'discarded'),
  queue text not null,
  kind text not null,
  payload text not null,
  priority integer not null,
  run_at integer not null,
  max_attempts integer,
  timeout_ms integer,
  group_key text not null,
  unique_key text,
  headers text,
  message_id text,
  trace text,
  enqueued_at integer not null,
  attempt integer not null,
  fence integer not null,
  replay_of integer,
  started_at integer,
  finished_at integer not null,
  worker text,
  reason text,
  primary key (id, revision)
) strict, without rowid;

-- One row per attempt that did not end in success (the success is the history row).
create table {ns}attempts (
  job_id integer not null,
  fence integer not null,
  revision integer not null,
  attempt integer not null,
  outcome text not null
    constraint "outcome is a known one"
    check (outcome in ('failed', 'timeout', 'lost', 'undecodable', 'snoozed', 'released',
                       'cancelled', 'quarantined', 'hook_failed')),
  failure_class text
    constraint "failure_class is application, external, data, lost or timeout"
    check (failure_class in ('application', 'external', 'data', 'lost', 'timeout')),
  message text,
  worker text,
  started_at integer,
  ended_at integer not null,
  primary key (job_id, fence)
) strict, without rowid;

-- What operators did. Append-only.
create table {ns}receipts (
  id integer primary key autoincrement,
  made_at integer not null,
  actor text not null
    constraint "actor is not empty" check (length(actor) between 1 and 200),
  reason text not null
    constraint "reason is not empty" check (length(reason) between 1 and 2000),
  action text not null,
  job_id integer,
  before text,
  after text
) strict;

-- Per-queue contract. A queue works without a row.
create table {ns}queues (
  queue text primary key
    constraint "queue has 1 to 200 characters" check (length(queue) between 1 and 200),
  lease_ms integer constraint "lease_ms is at least 500" check (lease_ms >= 500),
  timeout_ms integer constraint "timeout_ms is at least 1" check (timeout_ms >= 1),
  max_attempts integer
    constraint "max_attempts is 1 to 1000000" check (max_attempts between 1 and 1000000),
  retry_curve text
    constraint "retry_curve is power or exponential"
    check (retry_curve in ('power', 'exponential')),
  retry_base_ms integer constraint "retry_base_ms is at least 1" check (retry_base_ms >= 1),
  retry_exponent real
    constraint "retry_exponent is 1 to 10" check (retry_exponent between 1 and 10),
  retry_cap_ms integer constraint "retry_cap_ms is at least 100" check (retry_cap_ms >= 100),
  retry_jitter real constraint "retry_jitter is 0 to 1" check (retry_jitter between 0 and 1)
) strict, without rowid;

-- What workers said about the kinds they run: hooks they have, policy of the kind.
create table {ns}kinds (
  kind text primary key,
  has_hooks integer not null,
  timeout_ms integer,
  max_attempts integer,
  retry_curve text,
  retry_base_ms integer,
  retry_exponent real,
  retry_cap_ms integer,
  retry_jitter real,
  seen_at integer not null,
  worker text not null
) strict, without rowid;

-- Worker incarnations, for people. Never used to judge a lease.
create table {ns}workers (
  worker text primary key,
  host text not null,
  pid integer not null,
  program text not null,
  queues text not null,
  kinds text not null,
  started_at integer not null,
  seen_at integer not null,
  stopped_at integer
) strict, without rowid;

-- Origins of idempotency keys, each with the first job id it covers.
create table {ns}origins (
  first_id integer primary key,
  origin text not null unique,
  made_at integer not null
) strict;

-- Settling from any language: INSERT INTO {ns}done (id, fence, claim_id) in the handler's own
-- transaction. A lost lease makes the statement fail, so the effect beside it cannot commit.
create view {ns}done as
  select id, fence, claim_id from {ns}jobs where claim_id is not null;

create trigger {ns}done_insert instead of insert on {ns}done
begin
  select raise(abort, 'lease lost: another attempt has this job, or it is final')
   where not exists (select 1 from {ns}jobs
                      where id = new.id and fence = new.fence and claim_id = new.claim_id);
  select raise(abort, 'this kind has hooks: only the program that has them may finish the job')
   where exists (select 1 from {ns}jobs j join {ns}kinds k on k.kind = j.kind
                  where j.id = new.id and k.has_hooks = 1);
  insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                           max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                           trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                           worker)
  select j.id, j.revision, 'succeeded', j.queue, j.kind, j.payload, j.priority, j.run_at,
         j.max_attempts, j.timeout_ms, j.group_key, j.unique_key, j.headers, j.message_id,
         j.trace, j.enqueued_at, j.attempt, j.fence, j.replay_of, c.claimed_at,
         cast(strftime('%s', 'now') as integer) * 1000000
         + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000,
         c.worker
    from {ns}jobs j left join {ns}claims c on c.id = j.claim_id
   where j.id = new.id and j.fence = new.fence and j.claim_id = new.claim_id;
  delete from {ns}jobs
   where id = new.id and fence = new.fence and claim_id = new.claim_id and next_payload is null;
  update {ns}jobs
     set payload = next_payload, next_payload = null, revision = revision + 1, attempt = 0,
         claim_id = null, cancel_requested_at = null,
         run_at = cast(strftime('%s', 'now') as integer) * 1000000
                  + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000
   where id = new.id and fence = new.fence and claim_id = new.claim_id;
end;

-- For people: every job there is, with its state spelled out and readable times.
create view {ns}all_jobs as
  select j.id, j.revision,
         case when j.claim_id is not null then
                case when c.lease_until < cast(strftime('%s', 'now') as integer) * 1000000
                     then 'running (lease expired)' else 'running' end
              when j.run_at > cast(strftime('%s', 'now') as integer) * 1000000
                              + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000 then
                case when j.attempt > 0 then 'retrying' else 'scheduled' end
              else 'ready' end as state,
         j.queue, j.kind, j.payload, j.priority, j.group_key, j.unique_key, j.attempt, j.fence,
         strftime('%Y-%m-%dT%H:%M:%fZ', j.enqueued_at / 1000000.0, 'unixepoch') as enqueued,
         strftime('%Y-%m-%dT%H:%M:%fZ', j.run_at / 1000000.0, 'unixepoch') as due,
         null as finished, c.worker, null as reason
    from {ns}jobs j left join {ns}claims c on c.id = j.claim_id
  union all
  select id, revision, 'quarantined', queue, kind, payload, priority, group_key, unique_key,
         attempt, fence,
         strftime('%Y-%m-%dT%H:%M:%fZ', enqueued_at / 1000000.0, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%fZ', run_at / 1000000.0, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%fZ', quarantined_at / 1000000.0, 'unixepoch'),
         worker, failure_class || ': ' || reason
    from {ns}quarantine
  union all
  select id, revision, state, queue, kind, payload, priority, group_key, unique_key, attempt,
         fence,
         strftime('%Y-%m-%dT%H:%M:%fZ', enqueued_at / 1000000.0, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%fZ', run_at / 1000000.0, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000000.0, 'unixepoch'),
         worker, reason
    from {ns}history;

create view {ns}failed_attempts as
  select job_id, attempt, fence, outcome, failure_class, message, worker,
         strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000000.0, 'unixepoch') as started,
         strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000000.0, 'unixepoch') as ended
    from {ns}attempts;
