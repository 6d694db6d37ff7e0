-- Copies of the account that its owners ordered. The files are on the disk of `host`.
create table exports (
  id uuid primary key,
  status text not null default 'running' check (status in ('running', 'completed', 'failed', 'expired')),
  host text not null,
  has_recordings boolean not null,
  progress jsonb not null,
  bytes bigint,
  reason text,
  created_by jsonb,
  created_at timestamptz not null default clock_timestamp(),
  -- The process that writes the file was alive.
  seen_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  expires_at timestamptz,
  check ((status = 'running') = (ended_at is null)),
  check ((status = 'completed') <= (bytes is not null and expires_at is not null))
);
create unique index exports_one_at_a_time on exports ((true)) where status = 'running';
