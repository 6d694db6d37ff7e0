-- Refuses a change of the audit log by any role but the table's owner, and roles with the owner's rights. The privileges say
-- the same; this also holds after a restore that gives a table the default privileges.
create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise insufficient_privilege using message = 'permission denied: the audit log is only added to';
  end if;
  return null;
end $$;
