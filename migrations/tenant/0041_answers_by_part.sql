-- In which part of the day people answer (decision 0088). The release before counts no calls, and cannot read a campaign
-- with `best`.
-- Functions ef73cabf1ffa
alter table campaigns
  drop constraint campaigns_retry_time_of_day_check,
  add constraint campaigns_retry_time_of_day_check check (retry_time_of_day in ('rotate', 'best'));

-- The part of the day in which a contact was called, by its own clock. Null: direct and incoming calls, or the zone is
-- unknown.
alter table calls add column day_part text check (day_part in ('morning', 'midday', 'afternoon', 'evening'));

-- The calls of all campaigns by the day on which they ended, in the account's time zone, and by `day_part`, kept by
-- calls_end.
create table part_days (
  day date not null,
  part text not null check (part in ('morning', 'midday', 'afternoon', 'evening')),
  -- The ended calls that reached a phone: answered, voicemail, no_answer, busy or rejected.
  rang integer not null default 0,
  answered integer not null default 0,
  primary key (day, part));

\ir functions/calls_end.sql
