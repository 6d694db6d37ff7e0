-- How fast calls begin, who of an account's campaigns is next, and when a campaign stops by itself. All of it is read
-- and written under the lock of the budget's row. Lock order: these after campaign_progress.

-- When the next call from a number may begin (its carrier's calls per second).
create table number_paces (
  phone_number_id uuid primary key references phone_numbers on delete cascade,
  free_at         timestamptz not null
);

-- Start-time fair queueing among campaigns that want more than the caps leave (src/domain/FairShare.ts).
alter table campaign_progress
  -- When its next call's turn is, and when its last one's was: each call moves it by 1 / max_concurrent_calls.
  add column next_turn float8 not null default 0,
  add column last_turn float8 not null default 0,
  -- Calls that it would have begun, had there been places: by its own limits, and by these but for its number's pace.
  add column wants integer not null default 0,
  add column wants_of_number integer not null default 0,
  -- When its dialler said so: a dialler that is gone keeps no place from the others.
  add column asked_at timestamptz not null default '-infinity';

-- What the carrier made of a campaign's calls, in slices of some seconds, for as long as the circuit breaker looks back.
create table carrier_health (
  campaign_id uuid not null references campaigns on delete cascade,
  slice_at    timestamptz not null,
  ended       integer not null,
  failed      integer not null,
  primary key (campaign_id, slice_at)
);

-- Calls that a person answered, and those of them that were abandoned, on each day of the account's zone.
create table answered_days (
  day       date primary key,
  answered  integer not null,
  abandoned integer not null
);

-- `carrier`: the circuit breaker has paused it.
alter table campaigns drop constraint campaigns_waiting_for_check;
alter table campaigns add constraint campaigns_waiting_for_check check (waiting_for in
  ('concurrent_cap', 'per_minute_cap', 'daily_cap', 'calling_window', 'budget', 'retry_delay', 'carrier'));
