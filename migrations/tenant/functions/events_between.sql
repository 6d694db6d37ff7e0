-- The events with a number above `after` and up to `last`.
create or replace function events_between(after bigint, last bigint)
returns table (seq bigint, type text, subject_id uuid, created_at timestamptz, data jsonb) language sql stable as $$
  select b.first_seq + s.at - 1, b.type, s.subject_id, b.created_at, b.data
  from event_batches b cross join lateral unnest(b.subject_ids) with ordinality as s(subject_id, at)
  where b.first_seq >= coalesce((select max(first_seq) from event_batches where first_seq <= after + 1), 0)
    and b.first_seq <= last and b.first_seq + s.at - 1 > after and b.first_seq + s.at - 1 <= last
$$;
