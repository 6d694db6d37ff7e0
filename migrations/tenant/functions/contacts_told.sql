-- Appends an event for each contact that was settled. Without a nested loop, which takes 145 ms for 400 contacts instead
-- of 2 ms: the planner knows nothing of the size of transition tables.
create or replace function contacts_told() returns trigger language plpgsql set enable_nestloop = off as $$
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
