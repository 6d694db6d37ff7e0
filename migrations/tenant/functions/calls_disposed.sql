-- Counts the dispositions of a campaign's calls, and marks the contact of a call with a final one. Contacts come before
-- the campaign's progress, as in every transaction that writes both.
create or replace function calls_disposed() returns trigger language plpgsql as $$
begin
  if (new.disposition -> 'final')::boolean then
    update contacts set final_call_id = new.id, updated_at = clock_timestamp()
    where id = new.contact_id and status in ('pending', 'in_progress');
  else
    update contacts set final_call_id = null
    where id = new.contact_id and final_call_id = new.id and status = 'in_progress';
  end if;
  if new.disposition ->> 'key' is distinct from old.disposition ->> 'key' then
    update campaign_progress p set dispositions = (
      select coalesce(jsonb_object_agg(key, count), '{}') from (
        select key, sum(count)::integer as count from (
          select key, value::integer as count from jsonb_each_text(p.dispositions)
          union all select new.disposition ->> 'key', 1
          union all select old.disposition ->> 'key', -1) steps
        where key is not null group by key having sum(count) > 0) counts)
    where p.campaign_id = new.campaign_id;
  end if;
  return null;
end $$;
