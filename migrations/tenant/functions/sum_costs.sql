-- The sum of the costs of calls: amount, currency, parts, and the parts that lack a price in some call. Calls without a cost
-- count as zero.
create or replace function sum_costs(costs jsonb[]) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'amount', coalesce((select sum((cost ->> 'amount')::numeric) from unnest(costs) as u(cost)), 0), 'currency', 'USD',
    'parts', (select jsonb_object_agg(part, amount) from (
       select e.part, sum(e.amount::numeric) as amount
       from unnest(costs) as u(cost), jsonb_each_text(cost -> 'parts') as e(part, amount) group by 1) s),
    'not_priced', (select jsonb_agg(distinct part order by part)
       from unnest(costs) as u(cost), jsonb_array_elements_text(cost -> 'not_priced') as n(part))))
$$;
