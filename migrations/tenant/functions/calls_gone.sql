-- A deleted call leaves no live call behind.
create or replace function calls_gone() returns trigger language plpgsql as $$
begin
  delete from live_calls where call_id in (select id from old_calls);
  return null;
end $$;
