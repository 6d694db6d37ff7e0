-- A call ends once: when its row of live_calls is deleted. Then its slot is free, and it is counted by its outcome.
-- Without sequential scans, because the plan is made while live_calls is small, and between two vacuums the table holds
-- many dead rows.
create or replace function calls_end() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  ended uuid[];
  opted_out uuid[];
  counts jsonb;
  costs jsonb;
  spent numeric;
  released numeric;
  since timestamptz := (select day_since from budget);
  today date;
begin
  with freed as (
    delete from live_calls l using new_calls n
    where n.ended_at is not null and l.call_id = n.id
      and l.line = case n.direction when 'outbound' then coalesce(n.to_number, n.id::text) else n.id::text end
    returning n.id, n.campaign_id, n.outcome, n.started_at, n.cost, n.reserved, n.written_off, n.opt_out),
  of_today as (
    select coalesce(sum((cost ->> 'amount')::numeric), 0) + coalesce(sum(written_off), 0) as spent,
           coalesce(sum(reserved), 0) as reserved
    from freed where started_at >= since),
  counted as (
    select campaign_id, coalesce(outcome, 'unknown') as outcome, count(*) as freed,
           coalesce(sum((cost ->> 'amount')::numeric), 0) as cost,
           coalesce(sum(reserved), 0) as reserved, coalesce(sum(written_off), 0) as written_off
    from freed where campaign_id is not null group by 1, 2)
  select (select array_agg(id) from freed),
      (select array_agg(id) from freed where opt_out is not null), (select jsonb_agg(counted) from counted),
      (select jsonb_object_agg(campaign_id, sum) from (
         select campaign_id, sum_costs(array_agg(cost)) as sum from freed
         where campaign_id is not null and cost -> 'parts' <> '{}' group by 1) c),
      (select of_today.spent from of_today), (select of_today.reserved from of_today)
    into ended, opted_out, counts, costs, spent, released;
  if ended is null then return null; end if;
  delete from live_chats where call_id = any(ended);
  delete from held_lines where call_id = any(ended);
  update budget b set in_use = b.in_use - cardinality(ended), spent_today = b.spent_today + spent,
    reserved_today = b.reserved_today - released
    returning (clock_timestamp() at time zone b.time_zone)::date into today;
  insert into number_days as d (phone_number_id, day, campaign_id, rang, answered)
    select phone_number_id, today, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'),
      count(*), count(*) filter (where outcome = 'answered')
    from new_calls
    where id = any(ended) and direction = 'outbound' and phone_number_id is not null and transfer_of is null
      and outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'rejected')
    group by 1, 3 order by 1, 3
    on conflict (phone_number_id, day, campaign_id) do update set
      rang = d.rang + excluded.rang, answered = d.answered + excluded.answered;
  insert into part_days as d (day, part, rang, answered)
    select today, day_part, count(*), count(*) filter (where outcome = 'answered')
    from new_calls
    where id = any(ended) and day_part is not null
      and outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'rejected')
    group by 2 order by 2
    on conflict (day, part) do update set rang = d.rang + excluded.rang, answered = d.answered + excluded.answered;
  update campaign_progress p set
    active_calls = p.active_calls - s.freed,
    cost = p.cost + s.cost,
    cost_parts = add_costs(p.cost_parts, costs -> p.campaign_id::text),
    reserved = p.reserved - s.reserved,
    written_off = p.written_off + s.written_off,
    outcomes = p.outcomes || s.outcomes
  from (
    select campaign_id, sum(c.freed)::integer as freed, sum(c.cost) as cost,
           sum(c.reserved) as reserved, sum(c.written_off) as written_off,
           jsonb_object_agg(outcome, c.freed + coalesce((q.outcomes ->> outcome)::integer, 0)) as outcomes
    from jsonb_to_recordset(counts) as c(
      campaign_id uuid, outcome text, freed integer, cost numeric, reserved numeric, written_off numeric)
    join campaign_progress q using (campaign_id)
    group by campaign_id
  ) s where p.campaign_id = s.campaign_id;
  perform events_append('call.ended', ended);
  perform events_append('call.opted_out', opted_out);
  return null;
end $$;
