-- The platform's own database: the directory of accounts, the processes of the installation, and their shared work.

create table accounts (
  id               uuid primary key,
  slug             text not null unique check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$' and slug <> 'platform-admin'),
  name             text not null,
  database         text not null unique,
  -- The account's data key, wrapped by PARLEY_ENCRYPTION_KEY.
  data_key         bytea not null,
  concurrent_max   integer not null check (concurrent_max > 0),
  calls_per_minute integer not null check (calls_per_minute > 0),
  calls_per_day    integer not null check (calls_per_day > 0),
  time_zone        text not null,
  calling_window   jsonb,
  discoverable     boolean not null default false,
  status           text not null default 'active' check (status in ('active', 'suspended')),
  -- The newest migration of `migrations/tenant` that the account's database has.
  schema_version   integer not null,
  revision         integer not null default 1,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
create index accounts_newest on accounts (created_at desc, id desc);

-- A member is named by issuer and subject, or by a verified email address.
create table memberships (
  id         uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  issuer     text,
  subject    text,
  email      text,
  role       text not null check (role in ('owner', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  check ((issuer is null) = (subject is null)),
  check ((email is null) <> (subject is null)),
  unique nulls not distinct (account_id, issuer, subject, email)
);
create index memberships_by_subject on memberships (issuer, subject) where subject is not null;
create index memberships_by_email on memberships (email) where email is not null;

-- Answers to creating requests of administrators, kept for a day (see `idempotency` in a tenant's database).
create table idempotency (
  scope       text not null,
  key         text not null,
  fingerprint text not null,
  status      integer not null,
  headers     jsonb not null,
  body        bytea not null,
  created_at  timestamptz not null default now(),
  primary key (scope, key)
);

-- The running processes. A process that was not seen for 15 seconds is gone, and the others settle its calls.
create table nodes (
  id         uuid primary key,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now(),
  -- It takes campaigns: false until it is ready, and again from the beginning of its drain.
  dials      boolean not null default false
);

-- Calls that another process was asked to hang up; the process that conducts the call looks every second.
create table hang_ups (
  call_id uuid primary key,
  node_id uuid not null references nodes on delete cascade
);
create index hang_ups_by_node on hang_ups (node_id);

-- Which process dials which campaign. An index of the work, never the truth: the account's own database says what a
-- campaign is, and the campaign's `epoch` there keeps a process that lost it from dialling on. One row for each campaign
-- that runs or is scheduled. A row is written before the change that needs it commits, and deleted only under the lock of
-- the account's budget, which a writer holds too. So none is ever missing; one may be left over.
create table dialling (
  account_id  uuid not null references accounts on delete cascade,
  campaign_id uuid not null,
  -- A draft's scheduled time; a running campaign is due at any moment.
  due_at      timestamptz not null,
  node_id     uuid references nodes on delete set null,
  primary key (account_id, campaign_id)
);
create index dialling_due on dialling (due_at);
create index dialling_by_node on dialling (node_id);

-- Accounts that have webhooks, and when a process should next look after them. The process that serves an account moves
-- the time while it lives, so another process finds the accounts of a killed one. Accounts without webhooks have no row.
create table webhook_accounts (
  account_id uuid primary key references accounts on delete cascade,
  look_at    timestamptz not null
);
create index webhook_accounts_due on webhook_accounts (look_at);
