-- PostgreSQL servers beside the platform's own, on which accounts may live (decision 0063).
create table database_servers (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$' and name <> 'platform'),
  -- The URL of the role that owns the accounts' databases there, sealed with the installation's key.
  url bytea not null,
  -- Which server it is, as it reported itself last (see `installation`). Null if it was not asked, or does not say.
  system_identifier text,
  timeline text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

alter table accounts
  -- Null for the platform's own server.
  add column server text references database_servers,
  -- While the account moves to another server: `draining` begins no call, and `away` has no database that answers.
  add column moving text check (moving in ('draining', 'away'));
create index accounts_by_server on accounts (server) where server is not null;

-- Null for the platform's own server.
alter table unfinished_databases add column server text references database_servers;

-- Moves of accounts that are under way. Each step is committed before it begins, so that a killed move can be continued
-- or abandoned. The servers are null for the platform's own.
create table account_moves (
  -- An account cannot be deleted meanwhile, also by a release that knows no moves.
  account_id uuid primary key references accounts,
  from_server text references database_servers,
  to_server text references database_servers,
  step text not null check (step in ('preparing', 'draining', 'away', 'switched')),
  began_at timestamptz not null default clock_timestamp(),
  away_at timestamptz
);

-- The newest migration of the platform's database that the process knows; null for a process of a release before this
-- one, which knows no other servers. While one runs, no account is moved.
alter table nodes add column platform_schema integer;

-- A release that knows no other servers would delete the row of an account and leave its database where it is. This
-- release drops the database, and clears `server`, before it deletes the row.
create function accounts_on_servers_stay() returns trigger language plpgsql as $$
begin
  raise exception 'the database of the account % is on the server %, which this release of Parley does not know',
    old.slug, old.server;
end $$;
create trigger accounts_on_servers_stay before delete on accounts
  for each row when (old.server is not null) execute function accounts_on_servers_stay();
