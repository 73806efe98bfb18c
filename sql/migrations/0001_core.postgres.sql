-- oldest: 1
-- Core tables of a Holdfast queue on PostgreSQL (14 or newer).
-- Times are microseconds since 1970 UTC. A constraint's name is the sentence a person reads when
-- a value is refused. Text rules live in domains: a table CHECK would run at every update.

create schema if not exists {schema};

create function {ns}now_us() returns bigint
  language sql volatile parallel safe
  return (date_part('epoch', clock_timestamp()) * 1000000)::bigint;

create domain {ns}queue_name as text collate "C"
  constraint "queue has 1 to 200 characters and no control characters"
  check (char_length(value) between 1 and 200 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}kind_name as text collate "C"
  constraint "kind has 1 to 200 characters and no control characters"
  check (char_length(value) between 1 and 200 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}group_name as text collate "C"
  constraint "group_key has at most 200 characters, no control characters"
  check (char_length(value) <= 200 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}key_text as text collate "C"
  constraint "unique_key has 1 to 500 characters, no control characters"
  check (char_length(value) between 1 and 500 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}message_id_text as text collate "C"
  constraint "message_id has 1 to 200 characters, no control characters"
  check (char_length(value) between 1 and 200 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}trace_text as text collate "C"
  constraint "trace has at most 500 characters and no control characters"
  check (char_length(value) <= 500 and value !~ '[\u0001-\u001F\u007F]');
create domain {ns}payload_text as text collate "C"
  constraint "payload has at most 1 MiB" check (octet_length(value) <= 1048576);
create domain {ns}headers_text as text collate "C"
  constraint "headers have at most 64 KiB" check (octet_length(value) <= 65536);

-- Which migrations ran, and the oldest program (by schema version) that can go on with each.
create table {ns}migrations (
  version integer primary key,
  name text not null,
  applied_at bigint not null,
  program text not null,
  oldest_version integer not null
);

-- Live jobs only, waiting and running: small and hot whatever the history. A job runs if and only
-- if claim_id is set. Claiming writes attempt, fence and claim_id, and no index mentions them, so
-- that a claim is a HOT update (hence the free half of each page, and a little more: the row grows by its claim).
create table {ns}jobs (
  id bigint generated always as identity primary key
    constraint "id is between 1 and 2^53-1" check (id between 1 and 9007199254740991),
  queue {ns}queue_name not null default 'default',
  kind {ns}kind_name not null,
  payload {ns}payload_text not null default '',
  priority integer not null default 5
    constraint "priority is 0 (first) to 9 (last)" check (priority between 0 and 9),
  run_at bigint not null default {ns}now_us()
    constraint "run_at is microseconds since 1970, before the year 10000"
    check (run_at between 0 and 253402300799999999),
  max_attempts integer
    constraint "max_attempts is 1 to 1000000" check (max_attempts between 1 and 1000000),
  timeout_ms bigint
    constraint "timeout_ms is 1 to 31536000000 (a year)"
    check (timeout_ms between 1 and 31536000000),
  group_key {ns}group_name not null default '',
  unique_key {ns}key_text,
  headers {ns}headers_text,
  message_id {ns}message_id_text,
  trace {ns}trace_text,
  enqueued_at bigint not null default {ns}now_us()
    constraint "enqueued_at is microseconds since 1970, before year 10000"
    check (enqueued_at between 0 and 253402300799999999),
  attempt integer not null default 0
    constraint "attempt is 0 to 2^31-1" check (attempt >= 0),
  fence bigint not null default 0
    constraint "fence is 0 to 2^53-1" check (fence between 0 and 9007199254740991),
  claim_id bigint,
  revision bigint not null default 1
    constraint "revision is 1 to 2^53-1" check (revision between 1 and 9007199254740991),
  next_payload {ns}payload_text,
  cancel_requested_at bigint,
  replay_of bigint,
  constraint "only a running job is re-armed" check (next_payload is null or claim_id is not null)
) with (fillfactor = 45);

-- The one hot index.
create index jobs_hot on {ns}jobs (queue, group_key, priority, run_at, id);

create unique index jobs_unique on {ns}jobs (queue, unique_key) where unique_key is not null;

-- Workers that sleep until they are told of new jobs. Void after `until`, so that a dead worker's row
-- costs nothing for long.
create table {ns}sleepers (
  worker text collate "C" primary key,
  until bigint not null
) with (fillfactor = 50);

-- Until when somebody sleeps: enqueuers notify only then, because a transaction that notifies waits
-- for its turn at commit. A sequence, because reading one needs no query (a third of what one costs)
-- and shows what is true now, to a transaction with an older snapshot too.
create sequence {ns}sleep_gate minvalue 0 start 0;
grant select on {ns}sleep_gate to public;

-- A worker announces its sleep, or withdraws that with `for_us` 0. One at a time, so that the gate is
-- never shut on somebody. A crash of the server ends the sleep as well: the disk is not waited for.
create function {ns}sleep(who text, for_us bigint) returns void
  language plpgsql as $body$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended({schema_text} || ' sleepers', 0));
  delete from {ns}sleepers where worker = who and for_us = 0 or until < {ns}now_us();
  if for_us > 0 then
    insert into {ns}sleepers (worker, until) values (who, {ns}now_us() + for_us)
    on conflict (worker) do update set until = excluded.until;
  end if;
  perform setval('{ns}sleep_gate', (select coalesce(max(until), 0) from {ns}sleepers));
end $body$;

-- Plain inserts wake workers like the library's do.
create function {ns}wake() returns trigger
  language plpgsql as $body$
begin
  if pg_sequence_last_value('{ns}sleep_gate'::regclass) > {ns}now_us() then
    perform pg_notify({schema_text}, '');
  end if;
  return null;
end $body$;

create trigger jobs_wake after insert on {ns}jobs
  for each statement execute function {ns}wake();

-- One row per claim transaction: the lease of every job in it.
create table {ns}claims (
  id bigint generated always as identity primary key,
  worker text collate "C" not null,
  claimed_at bigint not null,
  lease_until bigint not null,
  lost_at bigint,
  ids bigint[] not null
) with (fillfactor = 45);

-- Jobs that used up their attempts or can never succeed. Nothing prunes this table.
create table {ns}quarantine (
  id bigint primary key,
  queue text collate "C" not null,
  kind text collate "C" not null,
  payload text collate "C" not null,
  priority integer not null,
  run_at bigint not null,
  max_attempts integer,
  timeout_ms bigint,
  group_key text collate "C" not null,
  unique_key text collate "C",
  headers text collate "C",
  message_id text collate "C",
  trace text collate "C",
  enqueued_at bigint not null,
  attempt integer not null,
  fence bigint not null,
  revision bigint not null,
  replay_of bigint,
  quarantined_at bigint not null,
  failure_class text collate "C" not null
    constraint "failure_class is application, external, data, lost or timeout"
    check (failure_class in ('application', 'external', 'data', 'lost', 'timeout')),
  reason text collate "C" not null,
  worker text collate "C"
);

-- Finished jobs, append-only, a partition for each day of finished_at (UTC). There is no default
-- partition on purpose: it would have to be scanned whenever a day is added.
create table {ns}history (
  id bigint not null,
  revision bigint not null,
  state text collate "C" not null
    constraint "state is succeeded, cancelled or discarded"
    check (state in ('succeeded', 'cancelled', 'discarded')),
  queue text collate "C" not null,
  kind text collate "C" not null,
  payload text collate "C" not null,
  priority integer not null,
  run_at bigint not null,
  max_attempts integer,
  timeout_ms bigint,
  group_key text collate "C" not null,
  unique_key text collate "C",
  headers text collate "C",
  message_id text collate "C",
  trace text collate "C",
  enqueued_at bigint not null,
  attempt integer not null,
  fence bigint not null,
  replay_of bigint,
  started_at bigint,
  finished_at bigint not null,
  worker text collate "C",
  reason text collate "C",
  primary key (id, revision, finished_at)
) partition by range (finished_at);

-- Makes the partitions for `days` days from the day of `from_us`. Attaching takes a lock that
-- neither readers nor settles wait for. Safe to call from many sessions.
create function {ns}history_ensure(from_us bigint, days integer) returns void
  language plpgsql as $body$
declare
  day_us constant bigint := 86400000000;
  first_us bigint := from_us - from_us % day_us;
  low bigint;
  part text;
begin
  perform pg_advisory_xact_lock(hashtextextended({schema_text} || ' history partitions', 0));
  for i in 0 .. days - 1 loop
    low := first_us + i * day_us;
    part := 'history_' || to_char(to_timestamp(low / 1000000) at time zone 'UTC', 'YYYYMMDD');
    continue when to_regclass(format('%I.%I', {schema_text}, part)) is not null;
    execute format('create table %I.%I (like %I.history including defaults including constraints)',
                   {schema_text}, part, {schema_text});
    execute format('alter table %I.history attach partition %I.%I for values from (%s) to (%s)',
                   {schema_text}, {schema_text}, part, low, low + day_us);
  end loop;
end $body$;

-- One row per attempt that did not end in success (the success is the history row).
create table {ns}attempts (
  job_id bigint not null,
  fence bigint not null,
  revision bigint not null,
  attempt integer not null,
  outcome text collate "C" not null
    constraint "outcome is a known one"
    check (outcome in ('failed', 'timeout', 'lost', 'undecodable', 'snoozed', 'released',
                       'cancelled', 'quarantined', 'hook_failed')),
  failure_class text collate "C"
    constraint "failure_class is application, external, data, lost or timeout"
    check (failure_class in ('application', 'external', 'data', 'lost', 'timeout')),
  message text collate "C",
  worker text collate "C",
  started_at bigint,
  ended_at bigint not null,
  primary key (job_id, fence)
);

-- What operators did. Append-only.
create table {ns}receipts (
  id bigint generated always as identity primary key,
  made_at bigint not null,
  actor text collate "C" not null
    constraint "actor is not empty" check (char_length(actor) between 1 and 200),
  reason text collate "C" not null
    constraint "reason is not empty" check (char_length(reason) between 1 and 2000),
  action text collate "C" not null,
  job_id bigint,
  before text collate "C",
  after text collate "C"
);

-- Per-queue contract. A queue works without a row.
create table {ns}queues (
  queue {ns}queue_name primary key,
  lease_ms bigint constraint "lease_ms is at least 500" check (lease_ms >= 500),
  timeout_ms bigint constraint "timeout_ms is at least 1" check (timeout_ms >= 1),
  max_attempts integer
    constraint "max_attempts is 1 to 1000000" check (max_attempts between 1 and 1000000),
  retry_curve text collate "C"
    constraint "retry_curve is power or exponential"
    check (retry_curve in ('power', 'exponential')),
  retry_base_ms bigint constraint "retry_base_ms is at least 1" check (retry_base_ms >= 1),
  retry_exponent double precision
    constraint "retry_exponent is 1 to 10" check (retry_exponent between 1 and 10),
  retry_cap_ms bigint constraint "retry_cap_ms is at least 100" check (retry_cap_ms >= 100),
  retry_jitter double precision
    constraint "retry_jitter is 0 to 1" check (retry_jitter between 0 and 1)
);

-- What workers said about the kinds they run: hooks they have, policy of the kind.
create table {ns}kinds (
  kind {ns}kind_name primary key,
  has_hooks integer not null,
  timeout_ms bigint,
  max_attempts integer,
  retry_curve text collate "C",
  retry_base_ms bigint,
  retry_exponent double precision,
  retry_cap_ms bigint,
  retry_jitter double precision,
  seen_at bigint not null,
  worker text collate "C" not null
);

-- Worker incarnations, for people. Never used to judge a lease.
create table {ns}workers (
  worker text collate "C" primary key,
  host text collate "C" not null,
  pid bigint not null,
  program text collate "C" not null,
  queues text collate "C" not null,
  kinds text collate "C" not null,
  started_at bigint not null,
  seen_at bigint not null,
  stopped_at bigint
);

-- Origins of idempotency keys, each with the first job id it covers.
create table {ns}origins (
  first_id bigint primary key,
  origin text collate "C" not null unique,
  made_at bigint not null
);

-- Settling from any language: INSERT INTO holdfast.done (id, fence, claim_id) in the handler's own
-- transaction. A lost lease makes the statement fail, so the effect beside it cannot commit.
create view {ns}done as
  select id, fence, claim_id from {ns}jobs where claim_id is not null;

create function {ns}done_insert() returns trigger
  language plpgsql as $body$
declare
  job {ns}jobs%rowtype;
begin
  select * into job from {ns}jobs
   where id = new.id and fence = new.fence and claim_id = new.claim_id
     for update;
  if not found then
    raise exception 'lease lost: another attempt has this job, or it is final'
      using errcode = 'HF001';
  end if;
  if exists (select 1 from {ns}kinds where kind = job.kind and has_hooks = 1) then
    raise exception 'this kind has hooks: only the program that has them may finish the job'
      using errcode = 'HF002';
  end if;
  insert into {ns}history (id, revision, state, queue, kind, payload, priority, run_at,
                           max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                           trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                           worker)
  values (job.id, job.revision, 'succeeded', job.queue, job.kind, job.payload, job.priority,
          job.run_at, job.max_attempts, job.timeout_ms, job.group_key, job.unique_key,
          job.headers, job.message_id, job.trace, job.enqueued_at, job.attempt, job.fence,
          job.replay_of, (select claimed_at from {ns}claims where id = job.claim_id),
          {ns}now_us(), (select worker from {ns}claims where id = job.claim_id));
  if job.next_payload is null then
    delete from {ns}jobs
     where id = new.id and fence = new.fence and claim_id = new.claim_id;
  else
    update {ns}jobs
       set payload = next_payload, next_payload = null, revision = revision + 1, attempt = 0,
           claim_id = null, cancel_requested_at = null, run_at = {ns}now_us()
     where id = new.id and fence = new.fence and claim_id = new.claim_id;
  end if;
  return new;
end $body$;

create trigger done_insert instead of insert on {ns}done
  for each row execute function {ns}done_insert();

create function {ns}readable(us bigint) returns text
  language sql stable parallel safe
  return to_char(to_timestamp(us / 1000000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- For people: every job there is, with its state spelled out and readable times.
create view {ns}all_jobs as
  select j.id, j.revision,
         case when j.claim_id is not null then
                case when c.lease_until < {ns}now_us()
                     then 'running (lease expired)' else 'running' end
              when j.run_at > {ns}now_us() then
                case when j.attempt > 0 then 'retrying' else 'scheduled' end
              else 'ready' end as state,
         j.queue::text, j.kind::text, j.payload::text, j.priority, j.group_key::text,
         j.unique_key::text, j.attempt, j.fence, {ns}readable(j.enqueued_at) as enqueued,
         {ns}readable(j.run_at) as due, null::text as finished, c.worker, null::text as reason
    from {ns}jobs j left join {ns}claims c on c.id = j.claim_id
  union all
  select id, revision, 'quarantined', queue, kind, payload, priority, group_key, unique_key,
         attempt, fence, {ns}readable(enqueued_at), {ns}readable(run_at),
         {ns}readable(quarantined_at), worker, failure_class || ': ' || reason
    from {ns}quarantine
  union all
  select id, revision, state, queue, kind, payload, priority, group_key, unique_key, attempt,
         fence, {ns}readable(enqueued_at), {ns}readable(run_at), {ns}readable(finished_at),
         worker, reason
    from {ns}history;

create view {ns}failed_attempts as
  select job_id, attempt, fence, outcome, failure_class, message, worker,
         {ns}readable(started_at) as started, {ns}readable(ended_at) as ended
    from {ns}attempts;

select {ns}history_ensure({ns}now_us() - 86400000000, 9);
