-- Which process does which work (decision 0062). A process takes part in the sharding while its node `dials`.
alter table nodes
  -- Whether the process takes work by shards. Those of releases before this one count rows of `dialling` instead.
  add column is_runner boolean not null default false;
-- The owner of each shard. Work belongs to the process that owns the shard to which its id hashes.
create table shards (
  id text primary key,
  node_id uuid not null references nodes on delete cascade
);
create index shards_by_node on shards (node_id);
