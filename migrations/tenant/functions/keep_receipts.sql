-- Refuses changes of receipts, seals, rule contents and recorded decisions by an account's role, apart from two: the nonce of
-- an erased decision is deleted, and a record is marked as sealed. Records of deleted calls may be deleted; prune_receipts
-- alone deletes the others.
create or replace function keep_receipts() returns trigger language plpgsql as $$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    return coalesce(new, old);
  end if;
  if tg_op = 'UPDATE' then
    if tg_table_name = 'receipts' then
      if new.nonce is null and new.seq = old.seq and new.call_id = old.call_id then return new; end if;
    elsif tg_table_name = 'dial_records' then
      if new.id = old.id and new.record::text = old.record::text and new.sealed then return new; end if;
    end if;
  end if;
  raise insufficient_privilege using message = 'permission denied: receipts are only added to';
end $$;
