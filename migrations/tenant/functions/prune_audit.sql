-- Deletes up to `most` entries that are older than `days`, and never younger ones than 30 days: the account's role has no
-- other way to delete an entry. Runs with the rights of the table's owner.
create or replace function prune_audit(days integer, most integer) returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with old as (
    select id from public.audit_entries where at < now() - make_interval(days => greatest(days, 30))
    order by at, id limit most),
  gone as (delete from public.audit_entries e using old where e.id = old.id returning 1)
  select count(*)::int from gone
$$;
