-- A deleted call leaves no live call behind. Parley deletes only calls that have ended. If an administrator's SQL deletes one
-- that has not, its slot is free again, and its contact fails as after a lost process: it may have rung. Otherwise the
-- account would dial less until it is repaired, and the campaign would never end. What it had reserved counts as spent.
create or replace function calls_gone() returns trigger language plpgsql as $$
declare
  live integer;
begin
  delete from live_calls where call_id in (select id from old_calls);
  delete from held_lines where call_id in (select id from old_calls);
  select count(*) into live from old_calls where ended_at is null;
  if live = 0 then return null; end if;
  update budget b set in_use = in_use - live, spent_today = b.spent_today + o.reserved,
    reserved_today = b.reserved_today - o.reserved
    from (select coalesce(sum(reserved) filter (where started_at >= (select day_since from budget)), 0) as reserved
          from old_calls where ended_at is null) o;
  update campaign_progress p set active_calls = p.active_calls - o.gone,
    reserved = p.reserved - o.reserved, written_off = p.written_off + o.reserved
    from (select campaign_id, count(*) as gone, coalesce(sum(reserved), 0) as reserved from old_calls
          where ended_at is null and campaign_id is not null group by campaign_id) o
    where p.campaign_id = o.campaign_id;
  update contacts c set status = 'failed', outcome = 'unknown', last_call_id = null,
    deleted_calls = c.deleted_calls + 1, updated_at = clock_timestamp()
    from old_calls o
    where o.ended_at is null and c.id = o.contact_id and c.last_call_id = o.id and c.status = 'in_progress';
  return null;
end $$;
