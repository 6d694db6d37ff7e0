-- Skips a withdrawn contact that would wait for another attempt, such as a retry or a callback. A trigger and not a
-- statement of the settlement, because a process of the release before settles calls too and knows nothing of withdrawals.
create or replace function contacts_withdrawn() returns trigger language plpgsql as $$
begin
  new.status := 'skipped';
  new.skip_reason := 'withdrawn';
  new.due_at := '-infinity';
  new.waits_for := null;
  new.callback_at := null;
  return new;
end $$;
