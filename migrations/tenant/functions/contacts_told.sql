-- Appends an event for each contact that was settled, and for each new or moved callback. Without a nested loop, which
-- takes 145 ms for 400 contacts instead of 2 ms: the planner knows nothing of the size of transition tables.
create or replace function contacts_told() returns trigger language plpgsql set enable_nestloop = off as $$
declare
  kind text;
  subjects uuid[];
  own jsonb;
begin
  if not exists (select from new_contacts where status in ('completed', 'failed') or callback_at is not null) then
    return null;
  end if;
  for kind, subjects in
    select 'contact.' || n.status, array_agg(n.id) from new_contacts n join old_contacts o using (id)
    where n.status in ('completed', 'failed') and o.status <> n.status group by n.status order by n.status
  loop
    perform events_append(kind, subjects);
  end loop;
  if not exists (select from new_contacts where status = 'pending' and callback_at is not null) then return null; end if;
  -- The event keeps what changes when the callback is dialled. The number is read from the contact, which may be erased.
  for subjects, own in
    select array[n.id], jsonb_build_object('status', n.status, 'outcome', n.outcome, 'attempts', n.attempts,
      'last_call_id', n.last_call_id, 'callback_at', n.callback_at)
    from new_contacts n join old_contacts o using (id)
    where n.status = 'pending' and n.callback_at is not null
      and (o.status <> 'pending' or o.callback_at is distinct from n.callback_at)
    order by n.position
  loop
    perform events_append('contact.callback_scheduled', subjects, own);
  end loop;
  return null;
end $$;
