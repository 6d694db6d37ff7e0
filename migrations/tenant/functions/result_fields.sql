-- The fields of a call's result, those of the extraction first, each with its source and the utterance that it was read from.
-- The utterance is looked up in the transcript, so it is gone when the transcript is.
create or replace function result_fields(result jsonb, extracted jsonb, transcript jsonb) returns jsonb
language sql immutable as $$
  with asked as (
    select at, field ->> 'name' as name, (field ->> 'entry')::integer as entry
    from jsonb_array_elements(coalesce(extracted, '[]')) with ordinality as f(field, at)),
  fields as (
    select at, name, entry from asked
    union all
    select null, name, null from jsonb_object_keys(result) as r(name) where name not in (select name from asked))
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', name,
    'value', result -> name,
    'source', case when entry is not null then 'extracted' when result ? name then 'agent' end,
    'quote', case when jsonb_typeof(transcript -> entry) = 'object' then jsonb_build_object(
      'text', transcript -> entry -> 'text', 'role', transcript -> entry -> 'role', 'at', transcript -> entry -> 'at',
      'started_ms', transcript -> entry -> 'started_ms', 'index', entry) end) order by at nulls last, name), '[]')
  from fields
$$;
