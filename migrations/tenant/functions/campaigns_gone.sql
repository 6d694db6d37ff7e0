-- Deletes the calls of deleted campaigns; calls have no foreign key to campaigns.
create or replace function campaigns_gone() returns trigger language plpgsql as $$
begin
  delete from calls where campaign_id in (select id from old_campaigns);
  return null;
end $$;
