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

-- Contacts that the account's old window put off are looked at anew under its new one. They had waited for nothing else:
-- a contact is put off when its turn has come. A running campaign's own window does not change.
create function calling_window_changed() returns trigger language plpgsql as $$
begin
  update contacts c set due_at = '-infinity', waits_for = null, updated_at = clock_timestamp()
  from campaigns p
  where p.id = c.campaign_id and p.calling_window is null and p.status in ('running', 'paused')
    and c.status = 'pending' and c.waits_for = 'calling_window';
  return null;
end $$;
create trigger calling_window_changed after update of calling_window on budget
  for each row when (old.calling_window is distinct from new.calling_window)
  execute function calling_window_changed();
