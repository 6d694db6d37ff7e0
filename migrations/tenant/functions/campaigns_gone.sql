-- Deletes the calls of deleted campaigns; calls have no foreign key to campaigns. Their receipts lose the nonce, so that a
-- deletion differs from a loss. The lock waits for a sealer that reads these calls.
create or replace function campaigns_gone() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('receipts', 0));
  update receipts set nonce = null
    where call_id in (select id from calls where campaign_id in (select id from old_campaigns)) and nonce is not null;
  delete from calls where campaign_id in (select id from old_campaigns);
  return null;
end $$;
