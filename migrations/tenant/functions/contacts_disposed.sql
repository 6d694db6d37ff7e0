-- Ends a contact with a final disposition that would wait for another attempt. A trigger and not a statement of the
-- settlement, because the agent, the extraction and people set dispositions.
create or replace function contacts_disposed() returns trigger language plpgsql as $$
begin
  if new.outcome = 'answered' then
    new.status := 'completed';
  else
    new.status := 'skipped';
    new.skip_reason := 'final_disposition';
  end if;
  new.due_at := '-infinity';
  new.waits_for := null;
  new.callback_at := null;
  return new;
end $$;
