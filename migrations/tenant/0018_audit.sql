-- Who did what to which object (decision 0051). An account's role may add entries and read them, and cannot change them.
-- Functions a458fc3b9a75
create table audit_entries (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  actor_type text not null check (actor_type = any (array['person', 'api_key', 'command_line'])),
  actor_id text,
  actor_issuer text,
  actor_name text,
  address text,
  request_id text,
  action text not null,
  object_kind text not null,
  object_id text,
  object_name text,
  changes jsonb not null default '[]'
);
create index audit_entries_newest on audit_entries (at desc, id desc);
create index audit_entries_of_object on audit_entries (object_id, at desc, id desc);
create index audit_entries_of_actor on audit_entries (actor_id, at desc, id desc);
revoke update, delete on audit_entries from parley_tenant;

\ir functions/keep_audit.sql
create trigger keep_audit before update or delete on audit_entries for each statement execute function keep_audit();

\ir functions/prune_audit.sql
