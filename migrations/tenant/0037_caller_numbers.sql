-- Campaigns dial from pools of numbers, each with limits of its own (decision 0084). A campaign that waits for a number has the
-- waiting_for daily_cap with the waiting_detail caller_number: the release before this one knows no other values. It dials
-- from phone_number_id alone, and the database holds it to the limit per day.
alter table phone_numbers
  -- Calls that may begin from the number on one day of the account's time zone. Null: no limit.
  add column max_calls_per_day integer check (max_calls_per_day > 0),
  add column min_seconds_between_calls integer check (min_seconds_between_calls between 1 and 86400);
alter table campaigns
  -- Numbers that the campaign dials from besides phone_number_id.
  add column caller_numbers uuid[] not null default '{}',
  add column local_presence boolean not null default false,
  -- When a number rests by itself. Null: never.
  add column number_rest jsonb check (jsonb_typeof(number_rest) = 'object');

-- The calls from each number by day and campaign, kept by triggers. Calls without a campaign have an id of zeros.
create table number_days (
  phone_number_id uuid not null,
  -- In the account's time zone.
  day date not null,
  campaign_id uuid not null,
  begun integer not null default 0,
  -- The ended calls that reached a phone: answered, voicemail, no_answer, busy or rejected.
  rang integer not null default 0,
  answered integer not null default 0,
  last_at timestamptz,
  primary key (phone_number_id, day, campaign_id));

-- The last rest of a number, which may be over.
create table number_rests (
  phone_number_id uuid primary key references phone_numbers on delete cascade,
  since timestamptz not null,
  -- Infinity: until a user ends it.
  until timestamptz not null,
  reason text not null check (reason in ('user', 'answer_rate')),
  -- What the user wrote, or what was measured.
  detail text,
  -- The campaign whose calls were measured.
  campaign_id uuid,
  check (until >= since));

alter table event_batches
  drop constraint event_batches_check,
  add constraint event_batches_check check (
    (data is not null) = (starts_with(type, 'campaign.') or type in ('contact.callback_scheduled', 'phone_number.rested')));

\ir functions/calls_begin.sql
\ir functions/calls_end.sql
