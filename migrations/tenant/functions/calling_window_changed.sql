-- Contacts that the account's old window put off, or a rule together with it, are looked at again under its new one. A contact is put off only when its
-- turn has come, so it waited for nothing else. A running campaign's own window does not change.
create or replace function calling_window_changed() returns trigger language plpgsql as $$
begin
  update contacts c set due_at = clock_timestamp(), waits_for = null, updated_at = clock_timestamp()
  from campaigns p
  where p.id = c.campaign_id and p.calling_window is null and p.status in ('running', 'paused')
    and c.status = 'pending' and c.waits_for in ('calling_window', 'rule');
  return null;
end $$;
