-- The fields of a call's result, those of the extraction first, each with its source and the utterance that it was read from.
-- The utterance is looked up in the transcript, so it is gone when the transcript is. All fields may be read from the same
-- long one, so a quote has only its beginning; and the transcript and the result are each unpacked once.
create or replace function result_fields(result jsonb, extracted jsonb, transcript jsonb) returns jsonb
language sql immutable as $$
  with asked as (
    select at, field ->> 'name' as name, (field ->> 'entry')::bigint as entry
    from jsonb_array_elements(coalesce(extracted, '[]')) with ordinality as f(field, at)),
  said as (
    select place - 1 as entry, turn
    from jsonb_array_elements(case when extracted is null then '[]' else transcript end) with ordinality as t(turn, place)
    where place - 1 in (select entry from asked) and jsonb_typeof(turn) = 'object')
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', name,
    'value', r.value,
    'source', case when a.entry is not null then 'extracted' when r.name is not null then 'agent' end,
    'quote', case when s.entry is not null then jsonb_build_object(
      'text', left(s.turn ->> 'text', 500), 'role', s.turn -> 'role', 'at', s.turn -> 'at',
      'started_ms', s.turn -> 'started_ms', 'index', s.entry) end) order by a.at nulls last, name), '[]')
  from asked a full join jsonb_each(result) as r(name, value) using (name) left join said s on s.entry = a.entry
$$;
