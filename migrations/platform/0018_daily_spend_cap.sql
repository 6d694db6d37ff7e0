-- The most that an account may spend in a day (decision 0083); null for no limit.
alter table accounts add column daily_spend_cap numeric(15, 6) check (daily_spend_cap >= 0);
