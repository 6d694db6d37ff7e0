-- What an account spends (decision 0083): a cap for each day, and the costs of campaigns by part. A call counts on the day on which it began, whenever it ends:
-- those that began at `day_since` or later are of the day `day`. Calls before this migration count on no day.
-- Functions 8b711b90369d
alter table budget
  -- The most that the account may spend in a day. Null: it has no cap.
  add column daily_spend_cap numeric(15, 6) check (daily_spend_cap >= 0),
  add column day_since timestamptz not null default clock_timestamp(),
  -- The cost and the written off reservations of the day's calls that have ended, and what its live calls have reserved.
  add column spent_today numeric(18, 6) not null default 0,
  add column reserved_today numeric(18, 6) not null default 0 check (reserved_today >= 0);
alter table campaign_progress
  -- What the campaign's calls that ended since this migration cost by part, in the form of `add_costs`.
  add column cost_parts jsonb not null default '{}';
