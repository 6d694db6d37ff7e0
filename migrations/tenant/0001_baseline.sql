-- The database of one account: every table, constraint, index and trigger. No table has an account column, because an
-- account is a database. `schema.sql` lists the schema after all migrations; the functions stand in `functions/`.
-- Functions 3f8aa5dd495d
--
-- Lock order, everywhere: tools, playbooks, agents; budget, campaigns, calls, contacts, campaign_progress and the tables
-- of pacing; event_log last. The tables of agent versions and carrier_calls follow everything else.

-- Every account's own login role is a member of this group (see Provisioning).
alter default privileges in schema public grant select, insert, update, delete on tables to parley_tenant;
alter default privileges in schema public grant usage, select on sequences to parley_tenant;

-- Both are trusted extensions that ship with PostgreSQL. On a server without them, FAQs are found by exact words only.
do $extensions$
declare
  wanted text;
begin
  foreach wanted in array array['pg_trgm', 'fuzzystrmatch'] loop
    begin
      execute format('create extension if not exists %I schema public', wanted);
    exception when others then
      raise notice 'FAQs are searched without the extension %: %', wanted, sqlerrm;
    end;
  end loop;
end
$extensions$;

------------------------------------------------------------------------------------------------------------------------
-- Catalog: what feeds an agent
------------------------------------------------------------------------------------------------------------------------

create table tools (
  id                    uuid primary key,
  name                  text not null unique,
  display_name          text not null,
  category              text not null,
  description           text not null,
  -- Not jsonb: a language model is asked for arguments in the order in which the author wrote them.
  schema                json not null,
  implementation_type   text not null check (implementation_type in ('python', 'http')),
  -- Secrets inside are sealed with the account's data key.
  implementation_config jsonb not null,
  implementation_code   text,
  tags                  text[] not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);
create index tools_newest on tools (created_at desc, id desc);

create table playbooks (
  id                    uuid primary key,
  name                  text not null unique,
  display_name          text not null,
  description           text not null,
  prompt                text not null,
  tool_names            text[] not null,
  category              text not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);
create index playbooks_newest on playbooks (created_at desc, id desc);

create table faqs (
  id                    uuid primary key,
  name                  text not null unique,
  question              text not null,
  answer                text not null,
  category              text not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  -- The question weighs more than the answer. to_tsvector refuses a text over 1 MB, so only the beginning is indexed.
  search                tsvector not null generated always as (
    setweight(to_tsvector('english', left(question, 2000)), 'A') ||
    setweight(to_tsvector('english', left(answer, 20000)), 'B')
  ) stored
);
create index faqs_newest on faqs (created_at desc, id desc);
create index faqs_search on faqs using gin (search);

-- lookup_faq finds FAQs by these rows. Each word of each FAQ is a row, so that a word counts by how rare it is among the
-- FAQs of an agent.
create table faq_words (
  -- A stem, or a stop word of the question as it is: "where" and "when" tell apart questions that share the rest.
  word        text collate "C" not null,
  faq_id      uuid not null references faqs on delete cascade,
  in_question boolean not null,
  primary key (word, faq_id)
);
create index faq_words_by_faq on faq_words (faq_id);

-- Every word once, so that a misspelt word is replaced by the nearest word of an FAQ. Words are never removed: a word that
-- no FAQ contains any longer is found and leads nowhere.
create table faq_vocabulary (
  word text collate "C" primary key
);
do $index$
begin
  if to_regproc('public.similarity') is not null then
    create index faq_vocabulary_alike on faq_vocabulary using gin (word public.gin_trgm_ops);
  end if;
end
$index$;

-- The embedding of an FAQ's question and answer, for lookup_faq. Empty where no embedding model is configured.
create table faq_embeddings (
  faq_id    uuid primary key references faqs on delete cascade,
  -- `provider/model`: embeddings of two models cannot be compared.
  model     text not null,
  -- Of length 1.
  embedding real[] not null
);

create table agents (
  id                      uuid primary key,
  name                    text not null unique,
  description             text not null,
  system_prompt           text not null,
  first_message           text not null,
  language                text not null,
  voice                   jsonb not null,
  model                   jsonb not null,
  temperature             double precision not null,
  max_call_seconds        integer not null,
  silence_timeout_seconds integer not null,
  interruptible           boolean not null,
  voicemail_action        text not null check (voicemail_action in ('hang_up', 'leave_message')),
  recording               boolean not null,
  outcome_schema          json,
  is_default              boolean not null default false,
  revision                integer not null default 1,
  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now(),
  -- The newest row of agent_versions; the triggers below keep it.
  version                 integer not null default 0
);
create index agents_newest on agents (created_at desc, id desc);

create table agent_tools (
  agent_id   uuid not null references agents on delete cascade,
  tool_id    uuid not null references tools on delete restrict,
  config     jsonb not null,
  enabled    boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agent_id, tool_id)
);
create index agent_tools_by_tool on agent_tools (tool_id);

create table agent_playbooks (
  agent_id    uuid not null references agents on delete cascade,
  playbook_id uuid not null references playbooks on delete restrict,
  position    integer not null,
  created_at  timestamptz not null default now(),
  primary key (agent_id, playbook_id)
);
create index agent_playbooks_by_playbook on agent_playbooks (playbook_id);

create table agent_faqs (
  agent_id   uuid not null references agents on delete cascade,
  faq_id     uuid not null references faqs on delete restrict,
  created_at timestamptz not null default now(),
  primary key (agent_id, faq_id)
);
create index agent_faqs_by_faq on agent_faqs (faq_id);

create table phone_numbers (
  id               uuid primary key,
  number           text not null unique,
  label            text not null,
  carrier          text not null check (carrier in ('lab', 'sip', 'twilio')),
  -- Secrets inside are sealed with the account's data key.
  carrier_config   jsonb not null,
  inbound_agent_id uuid references agents on delete restrict,
  revision         integer not null default 1,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
create index phone_numbers_newest on phone_numbers (created_at desc, id desc);
create index phone_numbers_by_agent on phone_numbers (inbound_agent_id) where inbound_agent_id is not null;

------------------------------------------------------------------------------------------------------------------------
-- Agent versions: an agent as it was after each change (decision 0016)
------------------------------------------------------------------------------------------------------------------------

-- Each content once an agent: going back to an earlier content, or adding and removing FAQs, stores nothing twice.
create table agent_contents (
  agent_id uuid not null references agents on delete cascade,
  digest   bytea not null,
  -- Not jsonb: the schemas inside keep the order of their authors. Secrets are masked.
  content  json not null,
  primary key (agent_id, digest)
);

create table agent_versions (
  agent_id       uuid not null references agents on delete cascade,
  version        integer not null check (version > 0),
  -- Of the whole version, FAQs included. A change that leaves it equal makes no version.
  digest         bytea not null,
  content_digest bytea not null,
  -- The enabled tools, whose definitions are part of the content.
  tool_ids       uuid[] not null,
  -- The FAQs that the agent may look up. Their text is read at the time of the lookup.
  faq_ids        uuid[] not null,
  -- The version that this one restored.
  restored_from  integer,
  -- The author of the change; null: the platform.
  created_by     jsonb,
  created_at     timestamptz not null default clock_timestamp(),
  primary key (agent_id, version),
  foreign key (agent_id, content_digest) references agent_contents (agent_id, digest)
);

-- Rehearsals of an agent, each against one of its versions (docs/scenarios.md). No other table refers to them.
create table scenario_runs (
  id            uuid primary key,
  agent_id      uuid not null references agents on delete cascade,
  agent_version integer not null,
  scenarios     jsonb not null,
  status        text not null default 'running' check (status in ('running', 'completed', 'interrupted')),
  -- Of the scenarios that have ended, in their order.
  results       jsonb not null default '[]',
  passed        integer not null default 0,
  failed        integer not null default 0,
  created_by    jsonb,
  created_at    timestamptz not null default clock_timestamp(),
  -- After this time no process runs it any longer, whatever the status says.
  deadline      timestamptz not null,
  ended_at      timestamptz
);
create index scenario_runs_of_agent on scenario_runs (agent_id, id desc);

------------------------------------------------------------------------------------------------------------------------
-- Identity: keys of this account, and the answers kept for its idempotency keys
------------------------------------------------------------------------------------------------------------------------

create table api_keys (
  id           uuid primary key,
  -- The public part of the key's text, by which it is found.
  key_id       text not null unique,
  name         text not null,
  scopes       text[] not null,
  secret_hash  bytea not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz not null default now()
);
create index api_keys_newest on api_keys (created_at desc, id desc);

create table widget_keys (
  id          uuid primary key,
  name        text not null,
  kind        text not null check (kind in ('public', 'secret')),
  agent_id    uuid not null references agents on delete restrict,
  origins     text[] not null,
  theme       jsonb not null,
  greeting    text,
  secret_hash bytea not null unique,
  -- The last four characters, so that people can tell keys apart.
  hint        text not null,
  created_at  timestamptz not null default now(),
  -- The text of a public key. It is no secret, because it is in the source of every page that uses the key; its owner can
  -- copy it again. For a secret key only the hash is known.
  public_key  text,
  constraint widget_keys_secret_stays_hashed check (kind = 'public' or public_key is null)
);
create index widget_keys_newest on widget_keys (created_at desc, id desc);
create index widget_keys_by_agent on widget_keys (agent_id);

-- The first answer to a creating request, written in the transaction of its effect and kept for a day (decisions §2).
create table idempotency (
  scope       text not null,
  key         text not null,
  fingerprint text not null,
  status      integer not null,
  headers     jsonb not null,
  body        bytea not null,
  created_at  timestamptz not null default now(),
  primary key (scope, key)
);
create index idempotency_by_age on idempotency (created_at);

------------------------------------------------------------------------------------------------------------------------
-- Dialling: campaigns, contacts, calls and the guards of every promise about them (docs/promises.md)
------------------------------------------------------------------------------------------------------------------------

-- One row: the account's caps, copied from the directory so that a dial is one transaction, and what is used of them.
-- Triggers on `calls` keep `in_use`, `day` and `calls_today`, so no code can forget to release a slot.
create table budget (
  is_only_row      boolean primary key default true check (is_only_row),
  concurrent_max   integer not null check (concurrent_max > 0),
  calls_per_minute integer not null check (calls_per_minute > 0),
  calls_per_day    integer not null check (calls_per_day > 0),
  time_zone        text not null,
  calling_window   jsonb,
  in_use           integer not null default 0 check (in_use >= 0),
  day              date not null default '-infinity',
  calls_today      integer not null default 0 check (calls_today >= 0)
);
insert into budget (concurrent_max, calls_per_minute, calls_per_day, time_zone) values (10, 60, 10000, 'UTC');

create table campaigns (
  id                   uuid primary key,
  name                 text not null,
  -- Not foreign keys: an ended campaign keeps the ids. Only an administrator or a restore removes what they name.
  agent_id             uuid not null,
  phone_number_id      uuid not null,
  status               text not null check (status in ('draft', 'running', 'paused', 'completed', 'failed')),
  max_concurrent_calls integer not null check (max_concurrent_calls > 0),
  retries_per_contact  integer not null check (retries_per_contact between 0 and 10),
  retry_delay_seconds  integer not null check (retry_delay_seconds between 0 and 604800),
  scheduled_at         timestamptz,
  calling_window       jsonb,
  max_calls_per_minute integer check (max_calls_per_minute > 0),
  duplicate_policy     text not null check (duplicate_policy in ('skip', 'reject', 'keep')),
  redial_unknown       boolean not null,
  default_country      text,
  -- The CSV's other columns in the order of the file: the columns of results.csv.
  columns              text[] not null,
  import               jsonb not null,
  -- `carrier`: the circuit breaker paused it.
  waiting_for          text check (waiting_for in
    ('concurrent_cap', 'per_minute_cap', 'daily_cap', 'calling_window', 'budget', 'retry_delay', 'carrier')),
  end_reason           text check (end_reason in
    ('finished', 'stopped', 'agent_missing', 'phone_number_missing', 'carrier_rejected')),
  revision             integer not null default 1,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  started_at           timestamptz,
  ended_at             timestamptz,
  -- Each process that takes the campaign over raises it. A dial transaction names the epoch under which it began, and an
  -- outdated one writes nothing.
  epoch                integer not null default 0,
  -- The version that the campaign started with; a draft has none.
  agent_version        integer,
  -- The report on the variables that the campaign's agent uses; null: not made yet.
  variables            jsonb,
  -- What that report was made from: the agent's version, the agent, the revisions of its FAQs, and the campaign's name,
  -- which a sentence may contain.
  variables_of         text,
  -- The observation that made the circuit breaker pause the campaign. Valid while `waiting_for` is `carrier`.
  waiting_detail       text,
  check ((ended_at is not null) = (status in ('completed', 'failed'))),
  check ((end_reason is not null) = (status in ('completed', 'failed')))
);
create index campaigns_newest on campaigns (created_at desc, id desc);
create index campaigns_alive on campaigns (status) where status in ('draft', 'running', 'paused');

-- No index contains a column that changes when a contact is dialled or settled, and each page keeps free space, so those
-- updates stay on the page of the row (decision 0015).
create table contacts (
  id            uuid primary key,
  campaign_id   uuid not null references campaigns on delete cascade,
  position      integer not null,
  phone_number  text not null,
  custom_fields jsonb not null,
  status        text not null default 'pending'
    check (status in ('pending', 'in_progress', 'completed', 'failed', 'skipped')),
  outcome       text,
  attempts      integer not null default 0,
  -- Not to be dialled before this; '-infinity' for a contact that was never put off.
  due_at        timestamptz not null default '-infinity',
  -- Why the contact was put off.
  waits_for     text check (waits_for in ('retry_delay', 'calling_window')),
  last_call_id  uuid,
  skip_reason   text check (skip_reason in ('stopped', 'do_not_call', 'outside_window')),
  updated_at    timestamptz not null default now(),
  unique (campaign_id, position),
  check ((skip_reason is not null) = (status = 'skipped'))
) with (fillfactor = 40);
-- Contacts that wait for a time, or for the end of another call to their number. A contact that was neither dialled nor
-- put off waits in the order of the file, after `campaign_progress.last_position`.
create index contacts_waiting on contacts (campaign_id, due_at, position) where due_at > '-infinity';

-- Counts of each campaign, kept by triggers: a snapshot is one row, the same instant for every number (I15).
create table campaign_progress (
  campaign_id          uuid primary key references campaigns on delete cascade,
  total                integer not null default 0,
  pending              integer not null default 0 check (pending >= 0),
  in_progress          integer not null default 0 check (in_progress >= 0),
  completed            integer not null default 0 check (completed >= 0),
  failed               integer not null default 0 check (failed >= 0),
  skipped              integer not null default 0 check (skipped >= 0),
  active_calls         integer not null default 0 check (active_calls >= 0),
  dialed               integer not null default 0,
  -- {"answered": 66, "busy": 2}: ended calls by outcome.
  outcomes             jsonb not null default '{}',
  cost                 numeric not null default 0,

  -- Start-time fair queueing among campaigns that want more than the caps leave (src/domain/FairShare.ts).
  -- The rounds of its next call and of its last one: each call adds 1 / max_concurrent_calls.
  next_round           float8 not null default 0,
  last_round           float8 not null default 0,
  -- Calls that the campaign would have begun with enough free slots: within its own limits, and within these without its
  -- number's pace.
  wants                integer not null default 0,
  wants_of_number      integer not null default 0,
  -- When its dialler wrote `wants`: a dialler that is gone reserves nothing.
  asked_at             timestamptz not null default '-infinity',
  -- The position of the last contact that a dial pass has taken from the list.
  last_position        integer not null default 0,

  -- Pending after an attempt.
  to_be_retried        integer not null default 0 check (to_be_retried >= 0),
  -- Completed or failed, by the outcome of the last attempt.
  ended_answered       integer not null default 0 check (ended_answered >= 0),
  ended_voicemail      integer not null default 0 check (ended_voicemail >= 0),
  ended_no_answer      integer not null default 0 check (ended_no_answer >= 0),
  ended_busy           integer not null default 0 check (ended_busy >= 0),
  ended_rejected       integer not null default 0 check (ended_rejected >= 0),
  ended_invalid_number integer not null default 0 check (ended_invalid_number >= 0),
  ended_carrier_error  integer not null default 0 check (ended_carrier_error >= 0),
  ended_unknown        integer not null default 0 check (ended_unknown >= 0)
);

-- One row a call. For a campaign the call is the attempt: it is written as `queued`, the intent, before the carrier is
-- told, and its id is the carrier's idempotency key. There is no foreign key to the contact and the campaign: the dialler
-- has locked them, and checking them again took a fifth of the time of an insert.
create table calls (
  id               uuid primary key,
  direction        text not null check (direction in ('outbound', 'inbound', 'web')),
  status           text not null check (status in ('queued', 'ringing', 'in_progress', 'completed', 'failed')),
  outcome          text check (outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'rejected', 'invalid_number',
                                           'carrier_error', 'unknown')),
  agent_id         uuid not null,
  agent_name       text not null,
  campaign_id      uuid,
  contact_id       uuid,
  -- The first attempt of the contact is 1.
  attempt_number   integer,
  phone_number_id  uuid,
  to_number        text,
  from_number      text,
  variables        jsonb,
  -- The process that conducts the call; when it is gone, CallRecovery settles its calls.
  node_id          uuid not null,
  started_at       timestamptz not null,
  answered_at      timestamptz,
  ended_at         timestamptz,
  transcript       jsonb not null default '[]',
  tool_invocations jsonb not null default '[]',
  turns            jsonb not null default '[]',
  -- The argument of record_outcome, by the agent's own outcome_schema.
  result           jsonb,
  cost             jsonb not null default '{}',
  end_reason       text,
  -- Why the call was allowed.
  dial_record_id   uuid,
  agent_version    integer,
  unique (contact_id, attempt_number), -- guard: each attempt of a contact begins once (I5)
  check ((ended_at is not null) = (status in ('completed', 'failed'))),
  check ((contact_id is null) = (attempt_number is null))
  -- Free space on each page for the end of a call beside its beginning.
) with (fillfactor = 45);
-- Read backwards, written at the end.
create index calls_newest on calls (started_at, id);
create index calls_of_campaign on calls (campaign_id, started_at, id) where campaign_id is not null;

-- Calls that have not ended, kept by triggers on `calls`. `line` is the number that is called, or the call's own id if it
-- came in without one; finding the row by it needs no second index.
create table live_calls (
  line       text not null,
  constraint calls_one_live_a_number primary key (line), -- guard: a phone number has at most one live call (I1)
  call_id    uuid not null,
  contact_id uuid
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);
-- guard: a contact has at most one live call (I1)
create unique index calls_one_live_a_contact on live_calls (contact_id) where contact_id is not null;
-- end of guard

-- Calls by the second in which they began, for the last two minutes: the calls of the last minute are sixty sums and the
-- rows of one second. Counting rows took 20 ms at a thousand calls a second. Direct calls have the nil UUID.
create table call_seconds (
  second      timestamptz not null,
  campaign_id uuid not null,
  calls       integer not null,
  primary key (second, campaign_id)
);

-- Why calls were allowed (rule, caps, window): one record for all calls of a dial pass that were decided alike.
create table dial_records (
  id     uuid primary key,
  record jsonb not null
);

-- Why a contact was not dialled when its turn had come. A contact that is put off every night for a year is one row with a
-- count.
create table decisions (
  contact_id uuid not null references contacts on delete cascade,
  reason     text not null check (reason in ('calling_window', 'do_not_call', 'outside_window')),
  count      integer not null default 1,
  first_at   timestamptz not null,
  last_at    timestamptz not null,
  -- Not dialled before this; null: never.
  until      timestamptz,
  -- What the last decision rested on: the window and the local times, or the entry of the do-not-call list.
  record     jsonb not null,
  primary key (contact_id, reason)
);

create table suppressions (
  phone_number text primary key,
  source       text not null check (source in ('api', 'import', 'call')),
  call_id      uuid,
  reason       text,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz
);
create index suppressions_newest on suppressions (created_at desc, phone_number);

------------------------------------------------------------------------------------------------------------------------
-- Pacing: read and written under the lock of the budget's row
------------------------------------------------------------------------------------------------------------------------

-- When the next call from a number may begin (its carrier's calls per second).
create table number_paces (
  phone_number_id uuid primary key references phone_numbers on delete cascade,
  free_at         timestamptz not null
);

-- Ended and failed calls of a campaign at its carrier, in slices of some seconds, for as long as the circuit breaker looks
-- back.
create table carrier_health (
  campaign_id uuid not null references campaigns on delete cascade,
  slice_at    timestamptz not null,
  ended       integer not null,
  failed      integer not null,
  primary key (campaign_id, slice_at)
);

-- Calls that a person answered, and those of them that were abandoned, on each day in the account's time zone.
create table answered_days (
  day       date primary key,
  answered  integer not null,
  abandoned integer not null
);

-- Reports of carriers whose calls outlive our processes: one row a call, the join of all reports (CarrierReport). Not in
-- `calls`, so that a report takes none of the locks of a dial.
create table carrier_calls (
  call_id          uuid primary key references calls on delete cascade,
  -- The carrier's own name of the call. Two of our calls never share one.
  sid              text unique,
  status           text not null check (status in ('queued', 'initiated', 'ringing', 'in-progress', 'canceled',
                                                   'failed', 'busy', 'no-answer', 'completed')),
  sequence         integer not null,
  answered_at      timestamptz,
  duration_seconds integer,
  sip_code         integer,
  -- Speech that the carrier turned into text: [{"mark", "text", "at"}], each mark once.
  words            jsonb not null default '[]',
  -- Raised by every report that changed the row, so that the process that conducts the call reads only what is new.
  version          integer not null default 1,
  updated_at       timestamptz not null default now()
);

------------------------------------------------------------------------------------------------------------------------
-- Events in the order of their commits, and the webhooks that receive them (decision 0010)
------------------------------------------------------------------------------------------------------------------------

-- One row. A transaction that appends events holds its lock until the commit, so numbers have no gap, and a reader of an
-- event has seen all events before it.
create table event_log (
  is_only_row boolean primary key default true check (is_only_row),
  last_seq    bigint not null default 0,
  -- Events up to this one were deleted at the end of their retention.
  pruned_seq  bigint not null default 0
);
insert into event_log default values;

-- Events of one type from one statement: the n-th of `subject_ids` has the number `first_seq` + n - 1. Numbers have no
-- gap, so a row ends where the next one begins. An ended call and a settled contact never change again, so their rows are
-- the data of their events. A campaign's counts go on changing, so its event keeps a copy in `data`.
create table event_batches (
  first_seq   bigint primary key,
  type        text not null,
  subject_ids uuid[] not null check (cardinality(subject_ids) > 0),
  created_at  timestamptz not null,
  data        jsonb,
  check ((data is not null) = starts_with(type, 'campaign.'))
);
-- UUIDs do not compress.
alter table event_batches alter column subject_ids set storage external;

create table webhooks (
  id                    uuid primary key,
  url                   text not null,
  description           text not null,
  -- Types of events, or '*'.
  events                text[] not null,
  enabled               boolean not null,
  disabled_reason       text check (disabled_reason in ('gone')),
  -- Both sealed with the account's data key. The previous one signs too, for receivers that do not know the new one yet.
  secret                text not null,
  previous_secret       text,
  previous_secret_until timestamptz,
  -- Events up to this one have their deliveries; the later ones are still to be fanned out.
  fanned_out_to         bigint not null,
  -- The last attempt failed: the webhook gets one connection instead of several.
  failing               boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  check ((previous_secret is null) = (previous_secret_until is null))
);
create index webhooks_newest on webhooks (created_at desc, id desc);

-- The delivery of one event to one webhook.
create table webhook_deliveries (
  id               uuid primary key,
  webhook_id       uuid not null references webhooks on delete cascade,
  seq              bigint not null,
  event_type       text not null,
  status           text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- Raised by each claim, so that a result that arrives after the claim was lost is recognised as outdated.
  attempts         integer not null default 0,
  -- Of the present series; a redelivery begins a new one.
  series_attempts  integer not null default 0,
  series_began_at  timestamptz,
  -- A claim moves it by the length of its lease, so a delivery whose claimant is gone is due again.
  next_attempt_at  timestamptz default clock_timestamp(),
  last_attempt_at  timestamptz,
  last_status_code integer,
  last_error       text,
  last_duration_ms integer,
  response_excerpt text,
  -- The last attempts, oldest first: [{number, at, status_code, error, duration_ms}].
  attempt_log      jsonb not null default '[]',
  created_at       timestamptz not null default clock_timestamp(),
  unique (webhook_id, seq),
  check ((next_attempt_at is not null) = (status = 'pending'))
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, seq) where status = 'pending';
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, seq);

------------------------------------------------------------------------------------------------------------------------
-- Triggers. Those of one statement run in the order of their names. `\ir` includes a function's file, as in psql.
------------------------------------------------------------------------------------------------------------------------

\ir functions/calls_begin.sql
create trigger calls_begin after insert on calls referencing new table as new_calls
  for each statement execute function calls_begin();

\ir functions/calls_end.sql
create trigger calls_end after update on calls referencing new table as new_calls
  for each statement execute function calls_end();

\ir functions/calls_gone.sql
create trigger calls_gone after delete on calls referencing old table as old_calls
  for each statement execute function calls_gone();

-- Only drafts are deleted, and they have no calls. When an administrator deletes another campaign, its calls go with it.
\ir functions/campaigns_gone.sql
create trigger campaigns_gone after delete on campaigns referencing old table as old_campaigns
  for each statement execute function campaigns_gone();

\ir functions/contacts_counted.sql
create trigger contacts_imported after insert on contacts referencing new table as new_contacts
  for each statement execute function contacts_counted();
create trigger contacts_moved after update on contacts referencing old table as old_contacts new table as new_contacts
  for each statement execute function contacts_counted();

\ir functions/contacts_told.sql
create trigger events_of_contacts after update on contacts
  referencing old table as old_contacts new table as new_contacts
  for each statement execute function contacts_told();

-- Deferred to the commit, when everything that the transaction does to the contacts has been counted.
\ir functions/campaigns_told.sql
create constraint trigger events_of_campaigns after update of status on campaigns deferrable initially deferred
  for each row when (old.status is distinct from new.status and new.status <> 'draft')
  execute function campaigns_told();

\ir functions/calling_window_changed.sql
create trigger calling_window_changed after update of calling_window on budget
  for each row when (old.calling_window is distinct from new.calling_window)
  execute function calling_window_changed();

\ir functions/index_faq_words.sql
create trigger faqs_words after insert or update of question, answer on faqs
  for each row execute function index_faq_words();

\ir functions/forget_faq_embedding.sql
create trigger faqs_embedding after update of question, answer on faqs
  for each row when (old.question <> new.question or old.answer <> new.answer)
  execute function forget_faq_embedding();

-- Every write to an agent, or to its tools, playbooks or FAQs, makes a version, a migration's write too.
\ir functions/agent_changed.sql
create trigger agent_version_of_agent after insert on agents referencing new table as new_rows
  for each statement execute function agent_changed();
-- Not for the update that records the version: a trigger makes it.
create trigger agent_version_of_change after update on agents referencing new table as new_rows
  for each statement when (pg_trigger_depth() = 0) execute function agent_changed();
create trigger agent_version_of_tool after update on tools referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_playbook after update on playbooks referencing new table as new_rows
  for each statement execute function agent_changed();

create trigger agent_version_of_new after insert on agent_tools referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_changed after update on agent_tools referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_gone after delete on agent_tools referencing old table as old_rows
  for each statement execute function agent_changed();

create trigger agent_version_of_new after insert on agent_playbooks referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_changed after update on agent_playbooks referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_gone after delete on agent_playbooks referencing old table as old_rows
  for each statement execute function agent_changed();

create trigger agent_version_of_new after insert on agent_faqs referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_changed after update on agent_faqs referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_gone after delete on agent_faqs referencing old table as old_rows
  for each statement execute function agent_changed();
