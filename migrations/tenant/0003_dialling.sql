-- Campaigns, contacts, calls and the guards beneath every promise about dialling (architecture, I1-I17).
-- Lock order, everywhere: budget, campaign, calls, contacts, campaign_progress.

-- One row: the account's caps (the directory's, copied here so that a dial is one transaction) and what is used of
-- them. `in_use`, `day` and `calls_today` are kept by the triggers on `calls`, so no code can forget to give back.
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
  -- Gone only through an administrator or a restore, so these are not foreign keys: an ended campaign keeps the ids.
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
  -- The CSV's other columns, in file order: the columns of results.csv.
  columns              text[] not null,
  import               jsonb not null,
  waiting_for          text check (waiting_for in
    ('concurrent_cap', 'per_minute_cap', 'daily_cap', 'calling_window', 'budget', 'retry_delay')),
  end_reason           text check (end_reason in
    ('finished', 'stopped', 'agent_missing', 'phone_number_missing', 'carrier_rejected')),
  revision             integer not null default 1,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  started_at           timestamptz,
  ended_at             timestamptz,
  check ((ended_at is not null) = (status in ('completed', 'failed'))),
  check ((end_reason is not null) = (status in ('completed', 'failed')))
);
create index campaigns_newest on campaigns (created_at desc, id desc);
create index campaigns_alive on campaigns (status) where status in ('draft', 'running', 'paused');

create table contacts (
  id              uuid primary key,
  campaign_id     uuid not null references campaigns on delete cascade,
  position        integer not null,
  phone_number    text not null,
  custom_fields   jsonb not null,
  status          text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed', 'skipped')),
  outcome         text,
  attempts        integer not null default 0,
  -- Not before this; '-infinity' for one that was never put off.
  due_at          timestamptz not null default '-infinity',
  -- Why it was put off: retry_delay or calling_window.
  waits_for       text check (waits_for in ('retry_delay', 'calling_window')),
  last_call_id    uuid,
  skip_reason     text check (skip_reason in ('stopped', 'do_not_call', 'outside_window')),
  updated_at      timestamptz not null default now(),
  unique (campaign_id, position),
  check ((skip_reason is not null) = (status = 'skipped'))
);
-- Two, since PostgreSQL reads `(attempts > 0) = false` as `attempts <= 0`, which is no expression of an index.
create index contacts_fresh on contacts (campaign_id, due_at, position) where status = 'pending' and attempts = 0;
create index contacts_retried on contacts (campaign_id, due_at, position) where status = 'pending' and attempts > 0;
create index contacts_by_status on contacts (campaign_id, status, position);

-- Counts of each campaign, kept by triggers: a snapshot is one row, the same instant for every number (I15).
create table campaign_progress (
  campaign_id    uuid primary key references campaigns on delete cascade,
  total          integer not null default 0,
  pending        integer not null default 0 check (pending >= 0),
  in_progress    integer not null default 0 check (in_progress >= 0),
  completed      integer not null default 0 check (completed >= 0),
  failed         integer not null default 0 check (failed >= 0),
  skipped        integer not null default 0 check (skipped >= 0),
  active_calls   integer not null default 0 check (active_calls >= 0),
  dialed         integer not null default 0,
  -- {"answered": 66, "busy": 2}: ended calls by outcome.
  outcomes       jsonb not null default '{}',
  cost           numeric not null default 0
);

-- One row a call. For a campaign the call is the attempt: it is written as `queued`, the intent, before any word to
-- the carrier, and its id is the carrier's idempotency key.
create table calls (
  id               uuid primary key,
  direction        text not null check (direction in ('outbound', 'inbound', 'web')),
  status           text not null check (status in ('queued', 'ringing', 'in_progress', 'completed', 'failed')),
  outcome          text check (outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'rejected', 'invalid_number',
                                           'carrier_error', 'unknown')),
  agent_id         uuid not null,
  agent_name       text not null,
  campaign_id      uuid references campaigns on delete cascade,
  contact_id       uuid references contacts on delete cascade,
  -- The how-manyeth attempt of the contact, and why it was allowed (rule, caps, window).
  attempt_number   integer,
  decision         jsonb,
  phone_number_id  uuid,
  to_number        text,
  from_number      text,
  variables        jsonb not null,
  -- The process that conducts the call; when it is gone, Recovery settles what it left.
  node_id          uuid not null,
  started_at       timestamptz not null,
  answered_at      timestamptz,
  ended_at         timestamptz,
  transcript       jsonb not null default '[]',
  tool_invocations jsonb not null default '[]',
  turns            jsonb not null default '[]',
  -- What record_outcome was told, by the agent's own outcome_schema.
  result           jsonb,
  cost             jsonb not null default '{}',
  end_reason       text,
  check ((ended_at is not null) = (status in ('completed', 'failed'))),
  check ((contact_id is null) = (attempt_number is null)),
  unique (contact_id, attempt_number)
);
create index calls_newest on calls (started_at desc, id desc);
create index calls_of_campaign on calls (campaign_id, started_at desc, id desc) where campaign_id is not null;
create index calls_live on calls (node_id) where ended_at is null;
-- I1: one live call a contact, and a number.
create unique index calls_one_live_a_contact on calls (contact_id) where ended_at is null and contact_id is not null;
create unique index calls_one_live_a_number on calls (to_number) where ended_at is null and to_number is not null;

create table suppressions (
  phone_number text primary key,
  source       text not null check (source in ('api', 'import', 'call')),
  call_id      uuid,
  reason       text,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz
);
create index suppressions_newest on suppressions (created_at desc, phone_number);

-- A new call takes a slot and a place in the day; I3 and I9 hold even against code that forgot to ask.
create function calls_begin() returns trigger language plpgsql as $$
declare
  begun integer;
  caps budget;
begin
  select count(*) into begun from new_calls where ended_at is null;
  update budget b set
    in_use      = b.in_use + begun,
    calls_today = begun + case when b.day = (clock_timestamp() at time zone b.time_zone)::date then b.calls_today else 0 end,
    day         = (clock_timestamp() at time zone b.time_zone)::date
  returning * into caps;
  if caps.in_use > caps.concurrent_max then
    raise exception 'concurrent_max exceeded' using errcode = 'check_violation', constraint = 'budget_concurrent_max';
  end if;
  if caps.calls_today > caps.calls_per_day then
    raise exception 'calls_per_day exceeded' using errcode = 'check_violation', constraint = 'budget_calls_per_day';
  end if;
  update campaign_progress p set dialed = p.dialed + n.begun, active_calls = p.active_calls + n.begun
    from (select campaign_id, count(*) as begun from new_calls where campaign_id is not null group by campaign_id) n
    where p.campaign_id = n.campaign_id;
  return null;
end $$;
create trigger calls_begin after insert on calls referencing new table as new_calls
  for each statement execute function calls_begin();

-- An ended call gives its slot back and is counted by its outcome, once.
create function calls_end() returns trigger language plpgsql as $$
declare
  slots integer;
begin
  select count(*) into slots from new_calls n join old_calls o using (id)
    where n.ended_at is not null and o.ended_at is null;
  if slots = 0 then return null; end if;
  update budget set in_use = in_use - slots;
  update campaign_progress p set
    active_calls = p.active_calls - s.freed,
    cost = p.cost + s.cost,
    outcomes = p.outcomes || s.outcomes
  from (
    select campaign_id, sum(freed)::integer as freed, sum(cost) as cost,
           jsonb_object_agg(outcome, freed + coalesce((before ->> outcome)::integer, 0)) as outcomes
    from (
      select n.campaign_id, coalesce(n.outcome, 'unknown') as outcome, count(*) as freed,
             coalesce(sum((n.cost ->> 'amount')::numeric), 0) as cost,
             (select outcomes from campaign_progress q where q.campaign_id = n.campaign_id) as before
      from new_calls n join old_calls o using (id)
      where n.ended_at is not null and o.ended_at is null and n.campaign_id is not null
      group by 1, 2
    ) by_outcome group by campaign_id
  ) s where p.campaign_id = s.campaign_id;
  return null;
end $$;
create trigger calls_end after update on calls referencing old table as old_calls new table as new_calls
  for each statement execute function calls_end();

-- Statuses of contacts, counted as they change (I6).
create function contacts_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update campaign_progress p set total = p.total + n.total, pending = p.pending + n.total
      from (select campaign_id, count(*) as total from new_contacts group by campaign_id) n
      where p.campaign_id = n.campaign_id;
    return null;
  end if;
  update campaign_progress p set
    pending = p.pending + d.pending, in_progress = p.in_progress + d.in_progress,
    completed = p.completed + d.completed, failed = p.failed + d.failed, skipped = p.skipped + d.skipped
  from (
    select campaign_id,
      coalesce(sum(step) filter (where status = 'pending'), 0) as pending,
      coalesce(sum(step) filter (where status = 'in_progress'), 0) as in_progress,
      coalesce(sum(step) filter (where status = 'completed'), 0) as completed,
      coalesce(sum(step) filter (where status = 'failed'), 0) as failed,
      coalesce(sum(step) filter (where status = 'skipped'), 0) as skipped
    from (select campaign_id, status, 1 as step from new_contacts
          union all select campaign_id, status, -1 from old_contacts) steps
    group by campaign_id
  ) d where p.campaign_id = d.campaign_id and (d.pending, d.in_progress, d.completed, d.failed, d.skipped) <> (0, 0, 0, 0, 0);
  return null;
end $$;
create trigger contacts_imported after insert on contacts referencing new table as new_contacts
  for each statement execute function contacts_counted();
create trigger contacts_moved after update on contacts referencing old table as old_contacts new table as new_contacts
  for each statement execute function contacts_counted();
