-- Accounts that have webhooks, and when some process should look after them next: a process that tends an account puts
-- the time off while it lives, so what a killed one left is found by another. Accounts without webhooks have no row.
create table webhook_accounts (
  account_id uuid primary key references accounts on delete cascade,
  look_at    timestamptz not null
);
create index webhook_accounts_due on webhook_accounts (look_at);
