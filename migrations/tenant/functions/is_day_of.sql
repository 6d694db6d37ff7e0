-- Whether the budget's counts of a day are those of the day of `moment`. On a later day no call has begun yet.
create or replace function is_day_of(budget budget, moment timestamptz) returns boolean language sql stable as $$
  select budget.day = (moment at time zone budget.time_zone)::date
$$;
