-- Appends one event a subject. Locks event_log until the commit.
create or replace function events_append(type text, subjects uuid[], data jsonb default null) returns void language plpgsql as $$
declare
  first bigint;
begin
  if subjects is null then return; end if;
  update event_log set last_seq = last_seq + cardinality(subjects) returning last_seq - cardinality(subjects) + 1 into first;
  -- Read under the lock, so that the times are in the order of the numbers.
  insert into event_batches values (first, events_append.type, subjects, clock_timestamp(), events_append.data);
end $$;
