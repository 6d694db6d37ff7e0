-- The results of calls that are read from their transcripts, because the agent recorded none. A row is written in the
-- transaction that ends the call, and the work is found and taken by it.
create table extractions (
  call_id uuid primary key references calls (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  -- How often it was begun. The number is also the fencing token: a process that lost its lease writes nothing.
  attempts integer not null default 0,
  -- When it may be begun. While a process is at work, the end of its lease.
  due_at timestamptz not null default clock_timestamp(),
  -- Why it failed.
  reason text check ((reason is not null) = (state = 'failed')),
  -- The fields that were asked for, in order: {"name", "entry"}. entry is the position in the transcript; null if not said.
  fields jsonb not null default '[]',
  ended_at timestamptz check ((ended_at is null) = (state = 'pending'))
);
create index extractions_due on extractions (due_at) where state = 'pending';

-- Whether there is anything to extract, known without reading a long content while calls end.
alter table agent_contents add column has_outcome_fields boolean not null generated always as
  (coalesce(json_typeof(content -> 'agent' -> 'outcome_schema' -> 'properties') = 'object', false)) stored;

-- Functions 60d22b6d39d5: result_fields is new.
