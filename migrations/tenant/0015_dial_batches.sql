-- What a batch of calls writes: one row for all of its events, two entries of an index for a live call, and one function
-- for each of a call's two moments, so that what they count is looked for once.

-- Events of one kind that came about together: the n-th of `subject_ids` has the number `first_seq` + n - 1. Numbers have
-- no gap, so a row ends where the next one begins.
create table event_batches (
  first_seq   bigint primary key,
  type        text not null,
  subject_ids uuid[] not null check (cardinality(subject_ids) > 0),
  created_at  timestamptz not null,
  data        jsonb,
  check ((data is not null) = starts_with(type, 'campaign.'))
);
-- Ids do not compress.
alter table event_batches alter column subject_ids set storage external;
insert into event_batches select seq, type, array[subject_id], created_at, data from events;
drop table events;

-- Those with a number after the first and up to the second.
create function events_between(after bigint, last bigint)
returns table (seq bigint, type text, subject_id uuid, created_at timestamptz, data jsonb) language sql stable as $$
  select b.first_seq + s.at - 1, b.type, s.subject_id, b.created_at, b.data
  from event_batches b cross join lateral unnest(b.subject_ids) with ordinality as s(subject_id, at)
  where b.first_seq >= coalesce((select max(first_seq) from event_batches where first_seq <= after + 1), 0)
    and b.first_seq <= last and b.first_seq + s.at - 1 > after and b.first_seq + s.at - 1 <= last
$$;

drop function events_append(text[], uuid[], jsonb);
create function events_append(type text, subjects uuid[], data jsonb default null) returns void language plpgsql as $$
declare
  first bigint;
begin
  if subjects is null then return; end if;
  update event_log set last_seq = last_seq + cardinality(subjects) returning last_seq - cardinality(subjects) + 1 into first;
  -- The time of the lock, so that it grows with the number.
  insert into event_batches values (first, events_append.type, subjects, clock_timestamp(), events_append.data);
end $$;

create or replace function campaigns_told() returns trigger language plpgsql as $$
begin
  perform events_append(
    'campaign.' || case new.status when 'running' then 'started' when 'paused' then 'paused' else 'completed' end,
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

create or replace function contacts_told() returns trigger language plpgsql as $$
declare
  kind text;
  subjects uuid[];
begin
  if not exists (select from new_contacts where status in ('completed', 'failed')) then return null; end if;
  for kind, subjects in
    select 'contact.' || n.status, array_agg(n.id) from new_contacts n join old_contacts o using (id)
    where n.status in ('completed', 'failed') and o.status <> n.status group by n.status order by n.status
  loop
    perform events_append(kind, subjects);
  end loop;
  return null;
end $$;

-- What a live call holds: the number that it calls, or, when it came to us without one, itself. Found by that, it needs no
-- index on the call.
drop trigger calls_live_begin on calls;
drop trigger calls_live_end on calls;
drop trigger calls_live_gone on calls;
drop function calls_live();
drop table live_calls;
create table live_calls (
  line       text not null constraint calls_one_live_a_number primary key,
  call_id    uuid not null,
  contact_id uuid
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);
create unique index calls_one_live_a_contact on live_calls (contact_id) where contact_id is not null;
insert into live_calls select coalesce(to_number, id::text), id, contact_id from calls where ended_at is null;

-- A new call takes a slot, a place in its second and one in the day; I3 and I9 hold even against code that forgot to ask.
-- In the order of locks: budget, campaign_progress, and the log of events last.
create or replace function calls_begin() returns trigger language plpgsql as $$
declare
  begun uuid[];
  over uuid[];
  live integer;
  caps budget;
begin
  select array_agg(id), array_agg(id) filter (where ended_at is not null), count(*) filter (where ended_at is null)
    into begun, over, live from new_calls;
  if begun is null then return null; end if;
  update budget b set
    in_use      = b.in_use + live,
    calls_today = live + case when b.day = (clock_timestamp() at time zone b.time_zone)::date then b.calls_today else 0 end,
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
  insert into call_seconds as s (second, campaign_id, calls)
    select date_trunc('second', started_at), coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*)
    from new_calls group by 1, 2 order by 1, 2
    on conflict (second, campaign_id) do update set calls = s.calls + excluded.calls;
  delete from call_seconds where second < clock_timestamp() - interval '2 minutes';
  insert into live_calls
    select coalesce(to_number, id::text), id, contact_id from new_calls where ended_at is null;
  perform events_append('call.started', begun);
  perform events_append('call.ended', over);
  return null;
end $$;

-- A call ends once: when it gives back what it holds. Then its slot is free, and it is counted by its outcome.
create or replace function calls_end() returns trigger language plpgsql as $$
declare
  ended uuid[];
  counts jsonb;
begin
  with freed as (
    delete from live_calls l using new_calls n
    where n.ended_at is not null and l.line = coalesce(n.to_number, n.id::text) and l.call_id = n.id
    returning n.id, n.campaign_id, n.outcome, n.cost),
  counted as (
    select campaign_id, coalesce(outcome, 'unknown') as outcome, count(*) as freed,
           coalesce(sum((cost ->> 'amount')::numeric), 0) as cost
    from freed where campaign_id is not null group by 1, 2)
  select (select array_agg(id) from freed), (select jsonb_agg(counted) from counted) into ended, counts;
  if ended is null then return null; end if;
  update budget set in_use = in_use - cardinality(ended);
  update campaign_progress p set
    active_calls = p.active_calls - s.freed,
    cost = p.cost + s.cost,
    outcomes = p.outcomes || s.outcomes
  from (
    select campaign_id, sum(c.freed)::integer as freed, sum(c.cost) as cost,
           jsonb_object_agg(outcome, c.freed + coalesce((q.outcomes ->> outcome)::integer, 0)) as outcomes
    from jsonb_to_recordset(counts) as c(campaign_id uuid, outcome text, freed integer, cost numeric)
    join campaign_progress q using (campaign_id)
    group by campaign_id
  ) s where p.campaign_id = s.campaign_id;
  perform events_append('call.ended', ended);
  return null;
end $$;
-- By its key, however small the table was when the plan was made: between two vacuums it holds what is long gone.
alter function calls_end() reset all;
alter function calls_end() set enable_seqscan = off;

create function calls_gone() returns trigger language plpgsql as $$
begin
  delete from live_calls where call_id in (select id from old_calls);
  return null;
end $$;
create trigger calls_gone after delete on calls referencing old table as old_calls
  for each statement execute function calls_gone();

drop trigger calls_end on calls;
drop trigger calls_by_second on calls;
drop trigger events_of_begun_calls on calls;
drop trigger events_of_ended_calls on calls;
drop function calls_by_second();
drop function calls_told();
create trigger calls_end after update on calls referencing new table as new_calls
  for each statement execute function calls_end();

-- Room for what follows in the place of each row, the last one of a page too: else it takes a new entry in each index.
alter table calls set (fillfactor = 45);
alter table contacts set (fillfactor = 40);
