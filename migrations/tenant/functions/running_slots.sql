-- The slots that running campaigns have taken of the account's budget, without those of the campaign `without` (I4).
create or replace function running_slots(without uuid default null) returns integer language sql stable as $$
  select coalesce(sum(max_concurrent_calls), 0)::integer from campaigns
  where status = 'running' and id is distinct from without
$$;
