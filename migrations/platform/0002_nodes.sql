-- The processes that conduct calls. One that has not been seen for 15 seconds is gone, and what it left is settled.
create table nodes (
  id         uuid primary key,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);

-- Calls that another process was asked to hang up; their conductor looks every second.
create table hang_ups (
  call_id uuid primary key,
  node_id uuid not null references nodes on delete cascade
);
create index hang_ups_by_node on hang_ups (node_id);
