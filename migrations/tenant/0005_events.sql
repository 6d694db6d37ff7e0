-- What happened in the account, in the order in which it was committed, and the endpoints that are told of it (decision
-- 0010). Lock order: event_log after everything else. Who holds its row writes events; the next one waits for the
-- commit, so numbers have no gap, and a reader who has seen one has seen all before it.

create table event_log (
  is_only_row boolean primary key default true check (is_only_row),
  last_seq    bigint not null default 0,
  -- Events up to this one were kept long enough and are gone.
  pruned_seq  bigint not null default 0
);
insert into event_log default values;

-- A call that has ended and a contact that is settled never change again, so their rows are the events' data, and an
-- event is a few bytes in the dial transaction. A campaign's counts go on changing: its event keeps what they were.
create table events (
  seq        bigint primary key,
  type       text not null,
  subject_id uuid not null,
  created_at timestamptz not null,
  data       jsonb,
  check ((data is not null) = starts_with(type, 'campaign.'))
);

create function events_append(types text[], subjects uuid[], data jsonb default null) returns void language plpgsql as $$
declare
  before bigint;
  moment timestamptz;
begin
  if subjects is null then return; end if;
  update event_log set last_seq = last_seq + cardinality(subjects) returning last_seq - cardinality(subjects) into before;
  -- The time of the lock, so that it grows with the number.
  moment := clock_timestamp();
  insert into events (seq, type, subject_id, created_at, data)
    select before + at, type, subject, moment, events_append.data
    from unnest(types, subjects) with ordinality as s(type, subject, at);
end $$;

-- The intent to dial is the start: one call.started and one call.ended for every call.
create function calls_told() returns trigger language plpgsql as $$
declare
  types text[];
  subjects uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg('call.started'::text), array_agg(id) into types, subjects from new_calls;
    perform events_append(types, subjects);
    select array_agg('call.ended'::text), array_agg(id) into types, subjects from new_calls where ended_at is not null;
  elsif exists (select from new_calls where ended_at is not null) then
    select array_agg('call.ended'::text), array_agg(id) into types, subjects
      from new_calls n join old_calls o using (id) where n.ended_at is not null and o.ended_at is null;
  end if;
  perform events_append(types, subjects);
  return null;
end $$;
-- Triggers of a statement run in the order of their names: these after those that lock the budget and the counts.
create trigger events_of_begun_calls after insert on calls referencing new table as new_calls
  for each statement execute function calls_told();
create trigger events_of_ended_calls after update on calls referencing old table as old_calls new table as new_calls
  for each statement execute function calls_told();

create function contacts_told() returns trigger language plpgsql as $$
declare
  types text[];
  subjects uuid[];
begin
  if not exists (select from new_contacts where status in ('completed', 'failed')) then return null; end if;
  select array_agg('contact.' || n.status), array_agg(id) into types, subjects
    from new_contacts n join old_contacts o using (id)
    where n.status in ('completed', 'failed') and o.status <> n.status;
  perform events_append(types, subjects);
  return null;
end $$;
create trigger events_of_contacts after update on contacts
  referencing old table as old_contacts new table as new_contacts
  for each statement execute function contacts_told();

-- At the commit, when all that the transaction does to the contacts has been counted.
create function campaigns_told() returns trigger language plpgsql as $$
begin
  perform events_append(
    array['campaign.' || case new.status when 'running' then 'started' when 'paused' then 'paused' else 'completed' end],
    array[new.id],
    jsonb_build_object(
      'id', new.id, 'name', new.name, 'agent_id', new.agent_id, 'phone_number_id', new.phone_number_id,
      'status', new.status, 'previous_status', old.status, 'max_concurrent_calls', new.max_concurrent_calls,
      'waiting_for', new.waiting_for, 'started_at', new.started_at, 'ended_at', new.ended_at,
      'end_reason', new.end_reason,
      'counts', (select jsonb_build_object('total', total, 'pending', pending, 'in_progress', in_progress,
        'completed', completed, 'failed', failed, 'skipped', skipped)
        from campaign_progress where campaign_id = new.id)));
  return null;
end $$;
create constraint trigger events_of_campaigns after update of status on campaigns deferrable initially deferred
  for each row when (old.status is distinct from new.status and new.status <> 'draft')
  execute function campaigns_told();

-- A UUIDv7: PostgreSQL has one of its own from 18 on only.
create function uuid_at(moment timestamptz) returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
    substring(int8send((extract(epoch from moment) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

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
  -- Events up to this one have their deliveries; those after it are what is to be done.
  fanned_out_to         bigint not null,
  -- The last attempt failed: it gets one connection instead of several.
  failing               boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  check ((previous_secret is null) = (previous_secret_until is null))
);
create index webhooks_newest on webhooks (created_at desc, id desc);

-- One event to be told to one webhook, and how that went.
create table webhook_deliveries (
  id               uuid primary key,
  webhook_id       uuid not null references webhooks on delete cascade,
  seq              bigint not null,
  event_type       text not null,
  status           text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- Raised by each claim, so that a result which comes after the claim was lost finds itself out of date.
  attempts         integer not null default 0,
  -- Of the present series, which a redelivery begins anew.
  series_attempts  integer not null default 0,
  series_began_at  timestamptz,
  -- A claim puts it off by its lease: one that nobody finishes is due again by itself.
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
