-- Which server this database is on: at boot another server, or an older state of it, shows a restored copy (decision 0044).
create table installation (
  is_only_row boolean primary key default true check (is_only_row),
  system_identifier text not null,
  timeline text not null,
  -- The embedded server's folder; null on an operator's server.
  data_folder text
);

-- A restored account answers requests, and dials nobody until an administrator sets it to `active`.
alter table accounts
  -- Of the account's database. Another one shows that the database was made anew, which only a restore does.
  add column database_oid oid,
  drop constraint accounts_status_check,
  add constraint accounts_status_check check (status in ('active', 'suspended', 'restored'));
