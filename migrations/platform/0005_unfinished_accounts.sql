-- The account is deleted for everyone. Its database and role are dropped first, its row last, by any process.
alter table accounts add column deleting_at timestamptz;

-- Databases that are being made for new accounts: a row is committed before the first step, and deleted in the transaction
-- that writes the account's own row. What a killed process leaves is dropped by another one.
create table unfinished_databases (
  database text primary key,
  -- Of this database. A copy of the directory has another one, and must not drop what was finished after the backup.
  directory_oid oid not null,
  began_at timestamptz not null default clock_timestamp()
);
