-- Calls that the process of their row has offered to another process (decision 0064). While the row is here, no process
-- conducts the call. The process that deletes it does, if it owns the call then.
create table call_offers (
  call_id uuid primary key,
  -- The process that offers the call and owns it until another accepts it.
  from_node uuid not null,
  -- The process to which the call is offered; null when it has refused.
  node_id uuid,
  offered_at timestamptz not null default clock_timestamp()
);
