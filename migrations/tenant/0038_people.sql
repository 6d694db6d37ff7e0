-- Who is called first, and when not (decision 0085).
-- Functions 7a1afde9d5f0
--
-- A contact with a priority that was never looked at has `due_at` 1970-01-01, so that indexes of their own find it and
-- the contacts without a priority stay out of them. The release before dials such a contact as one that is due.
alter table contacts
  add column priority smallint not null default 0,
  add constraint contacts_priority_check check (priority between 0 and 100);
-- In words that do not imply the predicate of contacts_waiting, which a planner would take otherwise.
create index contacts_preferred on contacts (campaign_id, priority desc, position)
  where priority > 0 and isfinite(due_at) and due_at <= '1970-01-01T00:00:00Z';
create index contacts_preferred_again on contacts (campaign_id, priority desc, due_at, position)
  where due_at > '1970-01-01T00:00:00Z' and priority > 0;

\ir functions/preferred_contacts.sql

-- Seconds after an answered call of any campaign in which this campaign does not call the same number. Null: none.
alter table campaigns
  add column quiet_after_answer_seconds integer check (quiet_after_answer_seconds between 1 and 31622400),
  -- How the part of the day of a retry follows from the attempts before. Null: it does not.
  add column retry_time_of_day text check (retry_time_of_day in ('rotate')),
  drop constraint campaigns_waiting_for_check,
  add constraint campaigns_waiting_for_check check (waiting_for in (
    'concurrent_cap', 'per_minute_cap', 'daily_cap', 'spend_cap', 'calling_window', 'rule', 'quiet_period', 'time_of_day',
    'budget', 'retry_delay', 'carrier', 'restored'));
alter table contacts
  drop constraint contacts_waits_for_check,
  add constraint contacts_waits_for_check check (waits_for in (
    'retry_delay', 'calling_window', 'rule', 'quiet_period', 'time_of_day'));
alter table decisions
  drop constraint decisions_reason_check,
  add constraint decisions_reason_check check (reason in (
    'calling_window', 'do_not_call', 'no_consent', 'outside_window', 'rule', 'quiet_period', 'time_of_day'));
