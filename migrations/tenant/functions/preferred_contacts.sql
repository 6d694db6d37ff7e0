-- The contacts of a campaign that have a priority and are due at this moment, the first of each kind: those whose waiting
-- time is over, and those that were never looked at. Without sorts and bitmaps: as long as there are no statistics of a
-- list that was just loaded, the planner assumes that the list is short, and would sort all of it in each pass.
create or replace function preferred_contacts(campaign uuid, moment timestamptz, at_most integer) returns setof contacts
language sql stable set enable_sort = off set enable_bitmapscan = off as $$
  (select c.* from contacts c
   where c.campaign_id = campaign and c.status = 'pending' and c.priority > 0 and c.callback_at is null
     and c.due_at > '1970-01-01T00:00:00Z'::timestamptz and c.due_at <= moment
     and not exists (select from live_calls l where l.line = c.phone_number)
     and not exists (select from held_lines h where h.line = c.phone_number)
     and (c.additional_numbers is null
       or not exists (select from live_calls l where l.line = any(c.additional_numbers))
         and not exists (select from held_lines h where h.line = any(c.additional_numbers)))
   order by c.priority desc, c.due_at, c.position limit at_most)
  union all
  (select c.* from contacts c
   where c.campaign_id = campaign and c.status = 'pending' and c.priority > 0 and isfinite(c.due_at)
     and c.due_at <= '1970-01-01T00:00:00Z'::timestamptz
     and not exists (select from live_calls l where l.line = c.phone_number)
     and not exists (select from held_lines h where h.line = c.phone_number)
     and (c.additional_numbers is null
       or not exists (select from live_calls l where l.line = any(c.additional_numbers))
         and not exists (select from held_lines h where h.line = any(c.additional_numbers)))
   order by c.priority desc, c.position limit at_most)
$$;
