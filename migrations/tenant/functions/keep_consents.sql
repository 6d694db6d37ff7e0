-- Refuses changes of the consent ledger by an account's role, apart from three: a use is noted, a deleted call is forgotten,
-- and an erasure removes what identifies the person. Entries are deleted by prune_consents alone.
create or replace function keep_consents() returns trigger language plpgsql as $$
declare
  noted constant text[] := array['used_at', 'call_id'];
  personal constant text[] := array['phone_number', 'subject', 'seller', 'text', 'source', 'external_id', 'call_id'];
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    return coalesce(new, old);
  end if;
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - noted = to_jsonb(old) - noted and (new.call_id is null or new.call_id = old.call_id)
        and (old.used_at is null or new.used_at >= old.used_at) then
      return new;
    end if;
    if new.phone_number is null and to_jsonb(new) - personal = to_jsonb(old) - personal
        and coalesce(new.subject, new.seller, new.text, new.source, new.external_id, new.call_id::text) is null then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'permission denied: the consent ledger is only added to';
end $$;
