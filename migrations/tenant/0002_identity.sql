-- Keys of this account, and the answers kept for its idempotency keys.

create table api_keys (
  id           uuid primary key,
  -- The public part of the key's text, by which it is found.
  key_id       text not null unique,
  name         text not null,
  scopes       text[] not null,
  secret_hash  bytea not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz not null default now()
);
create index api_keys_newest on api_keys (created_at desc, id desc);

create table widget_keys (
  id          uuid primary key,
  name        text not null,
  kind        text not null check (kind in ('public', 'secret')),
  agent_id    uuid not null references agents on delete restrict,
  origins     text[] not null,
  theme       jsonb not null,
  greeting    text,
  secret_hash bytea not null unique,
  -- The last four characters, so that people can tell keys apart.
  hint        text not null,
  created_at  timestamptz not null default now()
);
create index widget_keys_newest on widget_keys (created_at desc, id desc);
create index widget_keys_by_agent on widget_keys (agent_id);

-- The first answer to a creating request, in the transaction of its effect, kept for a day (decisions §2).
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
create index idempotency_by_age on idempotency (created_at);
