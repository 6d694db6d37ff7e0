-- The accounts in which a process may have live calls, noted before the first one. If the process dies, only these are
-- searched for calls that it left (decision 0062).
create table node_accounts (
  node_id uuid not null references nodes on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (node_id, account_id)
);
create index node_accounts_by_account on node_accounts (account_id);
