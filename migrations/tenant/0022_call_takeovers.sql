-- Who talked on a call in the agent's place while it was in progress, and from when to when. Null while it goes on, and if
-- the process that conducted the call died.
create table call_takeovers (
  id uuid primary key,
  call_id uuid not null references calls (id) on delete cascade,
  -- A person or an API key, as in created_by of agent_versions.
  taken_by jsonb not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index on call_takeovers (call_id);
