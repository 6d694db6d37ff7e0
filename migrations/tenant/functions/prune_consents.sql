-- Deletes up to `most` entries of the consent ledger that are older than `days`, counted from the later of their own time,
-- their recording and their last use. A revocation stays as long as a consent that it revokes. Runs with the rights of the
-- table's owner: the account's role has no other way to delete an entry.
create or replace function prune_consents(days integer, most integer) returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with old as (
    select c.id from public.consents c
    where greatest(c.at, c.created_at, c.used_at) < now() - make_interval(days => greatest(days, 30))
      and not (c.kind = 'revocation' and exists (
        select from public.consents g
        where g.phone_number = c.phone_number and g.kind = 'consent' and g.at <= c.at))
    order by greatest(c.at, c.created_at, c.used_at) limit most),
  gone as (delete from public.consents c using old where c.id = old.id returning 1)
  select count(*)::int from gone
$$;
