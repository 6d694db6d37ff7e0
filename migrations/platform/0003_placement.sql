-- Which process dials which campaign. An index of what there is to do, never the truth: the account's own database says
-- what a campaign is, and the campaign's `epoch` there keeps a process that lost it from dialling on.

-- A process that takes campaigns: false before it does and from the beginning of its drain.
alter table nodes add column dials boolean not null default false;

-- One row for each campaign that runs, or is to start: written before the change that makes it so commits, and taken
-- away only while the account's budget is locked, as by whoever writes it. So none is ever missing; one may be too many.
create table dialling (
  account_id  uuid not null references accounts on delete cascade,
  campaign_id uuid not null,
  -- A draft's scheduled time; what runs is due at any moment.
  due_at      timestamptz not null,
  node_id     uuid references nodes on delete set null,
  primary key (account_id, campaign_id)
);
create index dialling_due on dialling (due_at);
create index dialling_by_node on dialling (node_id);
