CREATE SCHEMA holdfast;
CREATE DOMAIN holdfast.group_name AS text COLLATE pg_catalog."C"
	CONSTRAINT "group_key has at most 200 characters, no control characters" CHECK (((char_length(VALUE) <= 200) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE DOMAIN holdfast.headers_text AS text COLLATE pg_catalog."C"
	CONSTRAINT "headers have at most 64 KiB" CHECK ((octet_length(VALUE) <= 65536));
CREATE DOMAIN holdfast.key_text AS text COLLATE pg_catalog."C"
	CONSTRAINT "unique_key has 1 to 500 characters, no control characters" CHECK ((((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 500)) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE DOMAIN holdfast.kind_name AS text COLLATE pg_catalog."C"
	CONSTRAINT "kind has 1 to 200 characters and no control characters" CHECK ((((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200)) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE DOMAIN holdfast.message_id_text AS text COLLATE pg_catalog."C"
	CONSTRAINT "message_id has 1 to 200 characters, no control characters" CHECK ((((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200)) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE DOMAIN holdfast.payload_text AS text COLLATE pg_catalog."C"
	CONSTRAINT "payload has at most 1 MiB" CHECK ((octet_length(VALUE) <= 1048576));
CREATE DOMAIN holdfast.queue_name AS text COLLATE pg_catalog."C"
	CONSTRAINT "queue has 1 to 200 characters and no control characters" CHECK ((((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200)) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE DOMAIN holdfast.trace_text AS text COLLATE pg_catalog."C"
	CONSTRAINT "trace has at most 500 characters and no control characters" CHECK (((char_length(VALUE) <= 500) AND (VALUE !~ '[\u0001-\u001F\u007F]'::text)));
CREATE FUNCTION holdfast.done_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  job "holdfast".jobs%rowtype;
begin
  select * into job from "holdfast".jobs
   where id = new.id and fence = new.fence and claim_id = new.claim_id
     for update;
  if not found then
    raise exception 'lease lost: another attempt has this job, or it is final'
      using errcode = 'HF001';
  end if;
  if exists (select 1 from "holdfast".kinds where kind = job.kind and has_hooks = 1) then
    raise exception 'this kind has hooks: only the program that has them may finish the job'
      using errcode = 'HF002';
  end if;
  insert into "holdfast".history (id, revision, state, queue, kind, payload, priority, run_at,
                           max_attempts, timeout_ms, group_key, unique_key, headers, message_id,
                           trace, enqueued_at, attempt, fence, replay_of, started_at, finished_at,
                           worker)
  values (job.id, job.revision, 'succeeded', job.queue, job.kind, job.payload, job.priority,
          job.run_at, job.max_attempts, job.timeout_ms, job.group_key, job.unique_key,
          job.headers, job.message_id, job.trace, job.enqueued_at, job.attempt, job.fence,
          job.replay_of, (select claimed_at from "holdfast".claims where id = job.claim_id),
          "holdfast".now_us(), (select worker from "holdfast".claims where id = job.claim_id));
  if job.next_payload is null then
    delete from "holdfast".jobs
     where id = new.id and fence = new.fence and claim_id = new.claim_id;
  else
    update "holdfast".jobs
       set payload = next_payload, next_payload = null, revision = revision + 1, attempt = 0,
           claim_id = null, cancel_requested_at = null, run_at = "holdfast".now_us()
     where id = new.id and fence = new.fence and claim_id = new.claim_id;
  end if;
  return new;
end $$;
CREATE FUNCTION holdfast.history_ensure(from_us bigint, days integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  day_us constant bigint := 86400000000;
  first_us bigint := from_us - from_us % day_us;
  low bigint;
  part text;
begin
  perform pg_advisory_xact_lock(hashtextextended('holdfast' || ' history partitions', 0));
  for i in 0 .. days - 1 loop
    low := first_us + i * day_us;
    part := 'history_' || to_char(to_timestamp(low / 1000000) at time zone 'UTC', 'YYYYMMDD');
    continue when to_regclass(format('%I.%I', 'holdfast', part)) is not null;
    execute format('create table %I.%I (like %I.history including defaults including constraints)',
                   'holdfast', part, 'holdfast');
    execute format('alter table %I.history attach partition %I.%I for values from (%s) to (%s)',
                   'holdfast', 'holdfast', part, low, low + day_us);
  end loop;
end $$;
CREATE FUNCTION holdfast.now_us() RETURNS bigint
    LANGUAGE sql PARALLEL SAFE
    RETURN ((date_part('epoch'::text, clock_timestamp()) * (1000000)::double precision))::bigint;
CREATE FUNCTION holdfast.readable(us bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((to_timestamp((((us)::numeric / 1000000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
CREATE FUNCTION holdfast.sleep(who text, for_us bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('holdfast' || ' sleepers', 0));
  delete from "holdfast".sleepers where worker = who and for_us = 0 or until < "holdfast".now_us();
  if for_us > 0 then
    insert into "holdfast".sleepers (worker, until) values (who, "holdfast".now_us() + for_us)
    on conflict (worker) do update set until = excluded.until;
  end if;
  perform setval('"holdfast".sleep_gate', (select coalesce(max(until), 0) from "holdfast".sleepers));
end $$;
CREATE FUNCTION holdfast.wake() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if pg_sequence_last_value('"holdfast".sleep_gate'::regclass) > "holdfast".now_us() then
    perform pg_notify('holdfast', '');
  end if;
  return null;
end $$;
CREATE TABLE holdfast.claims (
    id bigint NOT NULL,
    worker text NOT NULL COLLATE pg_catalog."C",
    claimed_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    lost_at bigint,
    ids bigint[] NOT NULL
)
WITH (fillfactor='45');
CREATE TABLE holdfast.history (
    id bigint NOT NULL,
    revision bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    priority integer NOT NULL,
    run_at bigint NOT NULL,
    max_attempts integer,
    timeout_ms bigint,
    group_key text NOT NULL COLLATE pg_catalog."C",
    unique_key text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    message_id text COLLATE pg_catalog."C",
    trace text COLLATE pg_catalog."C",
    enqueued_at bigint NOT NULL,
    attempt integer NOT NULL,
    fence bigint NOT NULL,
    replay_of bigint,
    started_at bigint,
    finished_at bigint NOT NULL,
    worker text COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    CONSTRAINT "state is succeeded, cancelled or discarded" CHECK ((state = ANY (ARRAY['succeeded'::text, 'cancelled'::text, 'discarded'::text])))
)
PARTITION BY RANGE (finished_at);
CREATE TABLE holdfast.jobs (
    id bigint NOT NULL,
    queue holdfast.queue_name DEFAULT 'default'::text NOT NULL,
    kind holdfast.kind_name NOT NULL,
    payload holdfast.payload_text DEFAULT ''::text NOT NULL,
    priority integer DEFAULT 5 NOT NULL,
    run_at bigint DEFAULT holdfast.now_us() NOT NULL,
    max_attempts integer,
    timeout_ms bigint,
    group_key holdfast.group_name DEFAULT ''::text NOT NULL,
    unique_key holdfast.key_text,
    headers holdfast.headers_text,
    message_id holdfast.message_id_text,
    trace holdfast.trace_text,
    enqueued_at bigint DEFAULT holdfast.now_us() NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    claim_id bigint,
    revision bigint DEFAULT 1 NOT NULL,
    next_payload holdfast.payload_text,
    cancel_requested_at bigint,
    replay_of bigint,
    CONSTRAINT "attempt is 0 to 2^31-1" CHECK ((attempt >= 0)),
    CONSTRAINT "enqueued_at is microseconds since 1970, before year 10000" CHECK (((enqueued_at >= 0) AND (enqueued_at <= '253402300799999999'::bigint))),
    CONSTRAINT "fence is 0 to 2^53-1" CHECK (((fence >= 0) AND (fence <= '9007199254740991'::bigint))),
    CONSTRAINT "id is between 1 and 2^53-1" CHECK (((id >= 1) AND (id <= '9007199254740991'::bigint))),
    CONSTRAINT "max_attempts is 1 to 1000000" CHECK (((max_attempts >= 1) AND (max_attempts <= 1000000))),
    CONSTRAINT "only a running job is re-armed" CHECK (((next_payload IS NULL) OR (claim_id IS NOT NULL))),
    CONSTRAINT "priority is 0 (first) to 9 (last)" CHECK (((priority >= 0) AND (priority <= 9))),
    CONSTRAINT "revision is 1 to 2^53-1" CHECK (((revision >= 1) AND (revision <= '9007199254740991'::bigint))),
    CONSTRAINT "run_at is microseconds since 1970, before the year 10000" CHECK (((run_at >= 0) AND (run_at <= '253402300799999999'::bigint))),
    CONSTRAINT "timeout_ms is 1 to 31536000000 (a year)" CHECK (((timeout_ms >= 1) AND (timeout_ms <= '31536000000'::bigint)))
)
WITH (fillfactor='45');
CREATE TABLE holdfast.quarantine (
    id bigint NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    priority integer NOT NULL,
    run_at bigint NOT NULL,
    max_attempts integer,
    timeout_ms bigint,
    group_key text NOT NULL COLLATE pg_catalog."C",
    unique_key text COLLATE pg_catalog."C",
    headers text COLLATE pg_catalog."C",
    message_id text COLLATE pg_catalog."C",
    trace text COLLATE pg_catalog."C",
    enqueued_at bigint NOT NULL,
    attempt integer NOT NULL,
    fence bigint NOT NULL,
    revision bigint NOT NULL,
    replay_of bigint,
    quarantined_at bigint NOT NULL,
    failure_class text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    CONSTRAINT "failure_class is application, external, data, lost or timeout" CHECK ((failure_class = ANY (ARRAY['application'::text, 'external'::text, 'data'::text, 'lost'::text, 'timeout'::text])))
);
CREATE VIEW holdfast.all_jobs AS
 SELECT j.id,
    j.revision,
        CASE
            WHEN (j.claim_id IS NOT NULL) THEN
            CASE
                WHEN (c.lease_until < holdfast.now_us()) THEN 'running (lease expired)'::text
                ELSE 'running'::text
            END
            WHEN (j.run_at > holdfast.now_us()) THEN
            CASE
                WHEN (j.attempt > 0) THEN 'retrying'::text
                ELSE 'scheduled'::text
            END
            ELSE 'ready'::text
        END AS state,
    (j.queue)::text AS queue,
    (j.kind)::text AS kind,
    (j.payload)::text AS payload,
    j.priority,
    (j.group_key)::text AS group_key,
    (j.unique_key)::text AS unique_key,
    j.attempt,
    j.fence,
    holdfast.readable(j.enqueued_at) AS enqueued,
    holdfast.readable(j.run_at) AS due,
    NULL::text AS finished,
    c.worker,
    NULL::text AS reason
   FROM (holdfast.jobs j
     LEFT JOIN holdfast.claims c ON ((c.id = j.claim_id)))
UNION ALL
 SELECT quarantine.id,
    quarantine.revision,
    'quarantined'::text AS state,
    quarantine.queue,
    quarantine.kind,
    quarantine.payload,
    quarantine.priority,
    quarantine.group_key,
    quarantine.unique_key,
    quarantine.attempt,
    quarantine.fence,
    holdfast.readable(quarantine.enqueued_at) AS enqueued,
    holdfast.readable(quarantine.run_at) AS due,
    holdfast.readable(quarantine.quarantined_at) AS finished,
    quarantine.worker,
    ((quarantine.failure_class || ': '::text) || quarantine.reason) AS reason
   FROM holdfast.quarantine
UNION ALL
 SELECT history.id,
    history.revision,
    history.state,
    history.queue,
    history.kind,
    history.payload,
    history.priority,
    history.group_key,
    history.unique_key,
    history.attempt,
    history.fence,
    holdfast.readable(history.enqueued_at) AS enqueued,
    holdfast.readable(history.run_at) AS due,
    holdfast.readable(history.finished_at) AS finished,
    history.worker,
    history.reason
   FROM holdfast.history;
CREATE TABLE holdfast.attempts (
    job_id bigint NOT NULL,
    fence bigint NOT NULL,
    revision bigint NOT NULL,
    attempt integer NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    failure_class text COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    worker text COLLATE pg_catalog."C",
    started_at bigint,
    ended_at bigint NOT NULL,
    CONSTRAINT "failure_class is application, external, data, lost or timeout" CHECK ((failure_class = ANY (ARRAY['application'::text, 'external'::text, 'data'::text, 'lost'::text, 'timeout'::text]))),
    CONSTRAINT "outcome is a known one" CHECK ((outcome = ANY (ARRAY['failed'::text, 'timeout'::text, 'lost'::text, 'undecodable'::text, 'snoozed'::text, 'released'::text, 'cancelled'::text, 'quarantined'::text, 'hook_failed'::text])))
);
ALTER TABLE holdfast.claims ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME holdfast.claims_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE VIEW holdfast.done AS
 SELECT jobs.id,
    jobs.fence,
    jobs.claim_id
   FROM holdfast.jobs
  WHERE (jobs.claim_id IS NOT NULL);
CREATE VIEW holdfast.failed_attempts AS
 SELECT attempts.job_id,
    attempts.attempt,
    attempts.fence,
    attempts.outcome,
    attempts.failure_class,
    attempts.message,
    attempts.worker,
    holdfast.readable(attempts.started_at) AS started,
    holdfast.readable(attempts.ended_at) AS ended
   FROM holdfast.attempts;
ALTER TABLE holdfast.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME holdfast.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE holdfast.kinds (
    kind holdfast.kind_name NOT NULL,
    has_hooks integer NOT NULL,
    timeout_ms bigint,
    max_attempts integer,
    retry_curve text COLLATE pg_catalog."C",
    retry_base_ms bigint,
    retry_exponent double precision,
    retry_cap_ms bigint,
    retry_jitter double precision,
    seen_at bigint NOT NULL,
    worker text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE holdfast.migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at bigint NOT NULL,
    program text NOT NULL,
    oldest_version integer NOT NULL
);
CREATE TABLE holdfast.origins (
    first_id bigint NOT NULL,
    origin text NOT NULL COLLATE pg_catalog."C",
    made_at bigint NOT NULL
);
CREATE TABLE holdfast.queues (
    queue holdfast.queue_name NOT NULL,
    lease_ms bigint,
    timeout_ms bigint,
    max_attempts integer,
    retry_curve text COLLATE pg_catalog."C",
    retry_base_ms bigint,
    retry_exponent double precision,
    retry_cap_ms bigint,
    retry_jitter double precision,
    CONSTRAINT "lease_ms is at least 500" CHECK ((lease_ms >= 500)),
    CONSTRAINT "max_attempts is 1 to 1000000" CHECK (((max_attempts >= 1) AND (max_attempts <= 1000000))),
    CONSTRAINT "retry_base_ms is at least 1" CHECK ((retry_base_ms >= 1)),
    CONSTRAINT "retry_cap_ms is at least 100" CHECK ((retry_cap_ms >= 100)),
    CONSTRAINT "retry_curve is power or exponential" CHECK ((retry_curve = ANY (ARRAY['power'::text, 'exponential'::text]))),
    CONSTRAINT "retry_exponent is 1 to 10" CHECK (((retry_exponent >= (1)::double precision) AND (retry_exponent <= (10)::double precision))),
    CONSTRAINT "retry_jitter is 0 to 1" CHECK (((retry_jitter >= (0)::double precision) AND (retry_jitter <= (1)::double precision))),
    CONSTRAINT "timeout_ms is at least 1" CHECK ((timeout_ms >= 1))
);
CREATE TABLE holdfast.receipts (
    id bigint NOT NULL,
    made_at bigint NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    job_id bigint,
    before text COLLATE pg_catalog."C",
    after text COLLATE pg_catalog."C",
    CONSTRAINT "actor is not empty" CHECK (((char_length(actor) >= 1) AND (char_length(actor) <= 200))),
    CONSTRAINT "reason is not empty" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000)))
);
ALTER TABLE holdfast.receipts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME holdfast.receipts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE SEQUENCE holdfast.sleep_gate
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;
CREATE TABLE holdfast.sleepers (
    worker text NOT NULL COLLATE pg_catalog."C",
    until bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE holdfast.workers (
    worker text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL COLLATE pg_catalog."C",
    pid bigint NOT NULL,
    program text NOT NULL COLLATE pg_catalog."C",
    queues text NOT NULL COLLATE pg_catalog."C",
    kinds text NOT NULL COLLATE pg_catalog."C",
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    stopped_at bigint
);
ALTER TABLE ONLY holdfast.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (job_id, fence);
ALTER TABLE ONLY holdfast.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (id);
ALTER TABLE ONLY holdfast.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (id, revision, finished_at);
ALTER TABLE ONLY holdfast.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY holdfast.kinds
    ADD CONSTRAINT kinds_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY holdfast.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY holdfast.origins
    ADD CONSTRAINT origins_origin_key UNIQUE (origin);
ALTER TABLE ONLY holdfast.origins
    ADD CONSTRAINT origins_pkey PRIMARY KEY (first_id);
ALTER TABLE ONLY holdfast.quarantine
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (id);
ALTER TABLE ONLY holdfast.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (queue);
ALTER TABLE ONLY holdfast.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY holdfast.sleepers
    ADD CONSTRAINT sleepers_pkey PRIMARY KEY (worker);
ALTER TABLE ONLY holdfast.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker);
CREATE INDEX jobs_hot ON holdfast.jobs USING btree (queue, group_key, priority, run_at, id);
CREATE UNIQUE INDEX jobs_unique ON holdfast.jobs USING btree (queue, unique_key) WHERE (unique_key IS NOT NULL);
CREATE TRIGGER done_insert INSTEAD OF INSERT ON holdfast.done FOR EACH ROW EXECUTE FUNCTION holdfast.done_insert();
CREATE TRIGGER jobs_wake AFTER INSERT ON holdfast.jobs FOR EACH STATEMENT EXECUTE FUNCTION holdfast.wake();
