-- Appends an event for each contact that was settled.
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
