-- The disposition of a call after a model has chosen `chosen`; null chooses nothing. What a person has set stays.
create or replace function disposition_after(present jsonb, chosen jsonb) returns jsonb language sql immutable as $$
  select case when present ->> 'source' = 'person' then present else coalesce(chosen, present) end
$$;
