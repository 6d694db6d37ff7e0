-- The directory: which accounts there are, where each one's database is, and who may open it.

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

-- Somebody is named by issuer and subject, or by a verified email.
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

-- Answers of creating requests of administrators, kept for a day (see `idempotency` in a tenant's database).
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
