-- Which releases are at work, and which of them can use an account's database (decision 0049). Both numbers are those of
-- migrations in `migrations/tenant`.
alter table nodes
  -- The newest one that the process knows; null for a process of a release before this one.
  add column tenant_schema integer;
alter table accounts
  -- A process whose newest migration is an older one leaves the account to others.
  add column serves_from integer not null default 0;
