-- What was done to accounts, by administrators, by owners and by the command line (decision 0051).
create table audit_entries (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  account text,
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
create index audit_entries_of_account on audit_entries (account, at desc, id desc);

-- For how many days an account's audit log is kept; null for the default of the installation.
alter table accounts add column audit_days integer check (audit_days >= 30);
