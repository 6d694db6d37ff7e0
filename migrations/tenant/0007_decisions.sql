-- Why a contact was not dialled when its turn had come. Why one was dialled stands with its call (`calls.decision`).
-- Lock order: after campaign_progress.

-- A row a contact and reason: one that is put off every night for a year is one row with a count.
create table decisions (
  contact_id uuid not null references contacts on delete cascade,
  reason     text not null check (reason in ('calling_window', 'do_not_call', 'outside_window')),
  count      integer not null default 1,
  first_at   timestamptz not null,
  last_at    timestamptz not null,
  -- Not dialled before this; null: never.
  until      timestamptz,
  -- What the last one hung on: the window and what the clocks showed, or the entry of the do-not-call list.
  record     jsonb not null,
  primary key (contact_id, reason)
);
