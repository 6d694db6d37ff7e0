-- Accounts that were deleted lately: what is kept of them outside of the databases, such as recordings, is deleted next.
create table deleted_accounts (
  id uuid primary key,
  deleted_at timestamptz not null default now()
);
