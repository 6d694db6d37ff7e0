-- Requests of http tools that may change something, from before they are sent until the call's row has their results. A
-- process that dies leaves its rows to another one.
create table tool_requests (
  -- The id of the invocation, which is the request's Idempotency-Key.
  id uuid primary key,
  call_id uuid not null references calls (id) on delete cascade,
  -- The process that sends the request.
  node_id uuid not null,
  tool_name text not null,
  -- As the model gave them: references to digits that the caller pressed are not replaced. Not kept while the recording
  -- is paused.
  arguments jsonb not null,
  -- Whether the request may be sent again if its process dies: its server honours the key, and the arguments are whole.
  is_repeatable boolean not null,
  -- How often it was sent. The number is also the fencing token: a process that lost the request writes no result.
  attempts integer not null default 1,
  began_at timestamptz not null default clock_timestamp(),
  -- When it may be sent again.
  due_at timestamptz not null default clock_timestamp(),
  -- {"result"} or {"error"}; null while it is not known.
  answer jsonb,
  duration_ms integer check ((duration_ms is null) = (answer is null))
);
create index tool_requests_of_call on tool_requests (call_id);
