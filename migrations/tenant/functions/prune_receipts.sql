-- Forgets the leaves of up to `most` seals whose decisions are all deleted, and returns the number of these seals. Their roots
-- and hashes remain, so the chain can still be verified. Runs with the rights of the table's owner.
create or replace function prune_receipts(most integer) returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with gone as (
    select s.number, s.first_seq, s.count from public.receipt_seals s
    where s.leaves is not null and not exists (
      select from public.receipts r
      where r.seq >= s.first_seq and r.seq < s.first_seq + s.count and r.nonce is not null)
    order by s.number limit most),
  pruned as (
    update public.receipt_seals s set leaves = null from gone g where s.number = g.number returning 1),
  deleted as (
    delete from public.receipts r using gone g where r.seq >= g.first_seq and r.seq < g.first_seq + g.count returning 1)
  select (select count(*) from pruned)::int + 0 * (select count(*) from deleted)::int
$$;
