-- The recordings of calls. The sound is a file, or an object of an object store, under the same id as its call. A
-- recording whose call was deleted, or whose time is over, has no call; its sound is deleted next, and then the row.
create table recordings (
  id uuid primary key,
  call_id uuid unique references calls (id) on delete set null,
  -- The machine on whose disk the file was written.
  host text not null,
  started_at timestamptz not null default now(),
  -- Stretches that were not recorded: [{"started_ms", "ended_ms"}]; the last may have no end yet.
  pauses jsonb not null default '[]',
  -- When it was copied to the object store.
  stored_at timestamptz,
  -- When it was found without a call.
  detached_at timestamptz
);
create index on recordings (started_at);
create index on recordings (id) where call_id is null;
