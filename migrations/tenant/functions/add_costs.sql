-- Adds costs by part: `{"parts": {"telephony": 0.02}, "not_priced": ["voice"]}`. A part that lacks a price in one of them lacks it
-- in the sum, whose amount of that part is then too small.
create or replace function add_costs(total jsonb, more jsonb) returns jsonb language sql immutable as $$
  select case when more is null then total else jsonb_strip_nulls(jsonb_build_object(
    'parts', (select jsonb_object_agg(part, amount) from (
       select e.part, sum(e.amount::numeric) as amount
       from (select * from jsonb_each_text(total -> 'parts') union all select * from jsonb_each_text(more -> 'parts'))
         as e(part, amount) group by 1) s),
    'not_priced', (select jsonb_agg(n.part order by n.part) from (
       select jsonb_array_elements_text(total -> 'not_priced') union select jsonb_array_elements_text(more -> 'not_priced'))
         as n(part)))) end
$$;
