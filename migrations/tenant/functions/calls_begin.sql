-- A new call takes a slot, a place in its second and one in the day. I3 and I9 hold even if the caller did not ask first.
-- In the order of locks: budget, campaign_progress, and event_log last. The intent to dial is the start, so each call has
-- one call.started and one call.ended.
create or replace function calls_begin() returns trigger language plpgsql as $$
declare
  begun uuid[];
  over uuid[];
  live integer;
  caps budget;
  overspent uuid;
  dialled integer;
  unreserved integer;
  first_at timestamptz;
  to_reserve numeric;
  overcalled uuid;
begin
  select array_agg(id), array_agg(id) filter (where ended_at is not null), count(*) filter (where ended_at is null),
      count(*) filter (where ended_at is null and direction = 'outbound'),
      count(*) filter (where ended_at is null and direction = 'outbound' and reserved is null),
      min(started_at), coalesce(sum(reserved) filter (where ended_at is null), 0)
    into begun, over, live, dialled, unreserved, first_at, to_reserve from new_calls;
  if begun is null then return null; end if;
  update budget b set
    in_use      = b.in_use + live,
    calls_today = live + calls_of_today(b, clock_timestamp()),
    spent_today = case when is_day_of(b, clock_timestamp()) then b.spent_today else 0 end,
    reserved_today = to_reserve + case when is_day_of(b, clock_timestamp()) then b.reserved_today else 0 end,
    day_since   = case when is_day_of(b, clock_timestamp()) then b.day_since else first_at end,
    day         = (clock_timestamp() at time zone b.time_zone)::date
  returning * into caps;
  perform refuse_if_closed(caps);
  -- guard: the database refuses a call beyond concurrent_max (I3)
  if caps.in_use > caps.concurrent_max then
    raise exception 'concurrent_max exceeded' using errcode = 'check_violation', constraint = 'budget_concurrent_max';
  end if;
  -- end of guard
  -- guard: the database refuses a call beyond calls_per_day (I9)
  if caps.calls_today > caps.calls_per_day then
    raise exception 'calls_per_day exceeded' using errcode = 'check_violation', constraint = 'budget_calls_per_day';
  end if;
  -- end of guard
  -- guard: the database refuses a dial beyond the account's daily_spend_cap, and one that reserved nothing (I18)
  if dialled > 0 and (unreserved > 0 or caps.spent_today + caps.reserved_today > caps.daily_spend_cap)
    and caps.daily_spend_cap is not null then
    raise exception 'daily_spend_cap exceeded' using errcode = 'check_violation', constraint = 'budget_daily_spend_cap';
  end if;
  -- end of guard
  update campaign_progress p set dialed = p.dialed + n.begun, active_calls = p.active_calls + n.begun,
    reserved = p.reserved + n.reserved
    from (select campaign_id, count(*) as begun,
            coalesce(sum(reserved) filter (where ended_at is null), 0) as reserved
          from new_calls where campaign_id is not null group by campaign_id) n
    where p.campaign_id = n.campaign_id;
  -- guard: the database refuses a call beyond the campaign's max_spend, and one that reserved nothing (I18)
  select c.id into overspent from campaigns c join campaign_progress p on p.campaign_id = c.id
    where c.id in (select campaign_id from new_calls where ended_at is null) and c.max_spend is not null
      and (p.cost + p.written_off + p.reserved > c.max_spend
        or exists (select from new_calls n where n.campaign_id = c.id and n.ended_at is null and n.reserved is null));
  if overspent is not null then
    raise exception 'max_spend exceeded' using errcode = 'check_violation', constraint = 'campaigns_max_spend';
  end if;
  -- end of guard
  -- A transfer belongs to its call, which is counted already.
  insert into number_days as d (phone_number_id, day, campaign_id, begun, last_at)
    select phone_number_id, caps.day, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*), max(started_at)
    from new_calls
    where direction = 'outbound' and ended_at is null and phone_number_id is not null and transfer_of is null
    group by 1, 3 order by 1, 3
    on conflict (phone_number_id, day, campaign_id) do update set
      begun = d.begun + excluded.begun, last_at = greatest(d.last_at, excluded.last_at);
  -- guard: the database refuses a call beyond a number's max_calls_per_day (decision 0084)
  select n.id into overcalled from phone_numbers n
    where n.max_calls_per_day is not null
      and n.id in (select phone_number_id from new_calls
                   where direction = 'outbound' and ended_at is null and transfer_of is null)
      and (select sum(d.begun) from number_days d where d.phone_number_id = n.id and d.day = caps.day) > n.max_calls_per_day;
  if overcalled is not null then
    raise exception 'max_calls_per_day exceeded' using errcode = 'check_violation', constraint = 'phone_numbers_max_calls_per_day';
  end if;
  -- end of guard
  insert into call_seconds as s (second, campaign_id, calls)
    select date_trunc('second', started_at), coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*)
    from new_calls group by 1, 2 order by 1, 2
    on conflict (second, campaign_id) do update set calls = s.calls + excluded.calls;
  delete from call_seconds where second < clock_timestamp() - interval '2 minutes';
  -- Many callers may ring one of our numbers at once, and a caller's own number may be forged: such a call is its own line.
  insert into live_calls
    select case direction when 'outbound' then coalesce(to_number, id::text) else id::text end, id, contact_id
    from new_calls where ended_at is null;
  perform hold_lines(begun, array(select distinct campaign_id from new_calls where contact_id is not null));
  perform events_append('call.started', begun);
  perform events_append('call.ended', over);
  return null;
end $$;
