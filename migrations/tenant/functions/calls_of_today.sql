-- The calls that an account has begun on the day of `moment` in its time zone, which `calls_per_day` limits. The budget's
-- count is that of `budget.day`: on a later day no call has begun yet.
create or replace function calls_of_today(budget budget, moment timestamptz) returns integer language sql stable as $$
  select case when budget.day = (moment at time zone budget.time_zone)::date then budget.calls_today else 0 end
$$;
