-- What feeds an agent. No account column anywhere: an account is a database.

-- Every account's own login role is a member of this group (see Provisioning).
alter default privileges in schema public grant select, insert, update, delete on tables to parley_tenant;
alter default privileges in schema public grant usage, select on sequences to parley_tenant;

create table tools (
  id                    uuid primary key,
  name                  text not null unique,
  display_name          text not null,
  category              text not null,
  description           text not null,
  -- Not jsonb: a language model is asked for arguments in the order in which their author put them.
  schema                json not null,
  implementation_type   text not null check (implementation_type in ('python', 'http')),
  -- Secrets inside are sealed with the account's data key.
  implementation_config jsonb not null,
  implementation_code   text,
  tags                  text[] not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);
create index tools_newest on tools (created_at desc, id desc);

create table playbooks (
  id                    uuid primary key,
  name                  text not null unique,
  display_name          text not null,
  description           text not null,
  prompt                text not null,
  tool_names            text[] not null,
  category              text not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);
create index playbooks_newest on playbooks (created_at desc, id desc);

create table faqs (
  id                    uuid primary key,
  name                  text not null unique,
  question              text not null,
  answer                text not null,
  category              text not null,
  is_default            boolean not null default false,
  modified_from_default boolean not null default false,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  -- The question weighs more than the answer; to_tsvector refuses a text beyond 1 MB, so it sees the beginning.
  search                tsvector not null generated always as (
    setweight(to_tsvector('english', left(question, 2000)), 'A') ||
    setweight(to_tsvector('english', left(answer, 20000)), 'B')
  ) stored
);
create index faqs_newest on faqs (created_at desc, id desc);
create index faqs_search on faqs using gin (search);

create table agents (
  id                      uuid primary key,
  name                    text not null unique,
  description             text not null,
  system_prompt           text not null,
  first_message           text not null,
  language                text not null,
  voice                   jsonb not null,
  model                   jsonb not null,
  temperature             double precision not null,
  max_call_seconds        integer not null,
  silence_timeout_seconds integer not null,
  interruptible           boolean not null,
  voicemail_action        text not null check (voicemail_action in ('hang_up', 'leave_message')),
  recording               boolean not null,
  outcome_schema          json,
  is_default              boolean not null default false,
  revision                integer not null default 1,
  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now()
);
create index agents_newest on agents (created_at desc, id desc);

create table agent_tools (
  agent_id   uuid not null references agents on delete cascade,
  tool_id    uuid not null references tools on delete restrict,
  config     jsonb not null,
  enabled    boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agent_id, tool_id)
);
create index agent_tools_by_tool on agent_tools (tool_id);

create table agent_playbooks (
  agent_id    uuid not null references agents on delete cascade,
  playbook_id uuid not null references playbooks on delete restrict,
  position    integer not null,
  created_at  timestamptz not null default now(),
  primary key (agent_id, playbook_id)
);
create index agent_playbooks_by_playbook on agent_playbooks (playbook_id);

create table agent_faqs (
  agent_id   uuid not null references agents on delete cascade,
  faq_id     uuid not null references faqs on delete restrict,
  created_at timestamptz not null default now(),
  primary key (agent_id, faq_id)
);
create index agent_faqs_by_faq on agent_faqs (faq_id);

create table phone_numbers (
  id               uuid primary key,
  number           text not null unique,
  label            text not null,
  carrier          text not null check (carrier in ('lab', 'sip', 'twilio')),
  -- Secrets inside are sealed with the account's data key.
  carrier_config   jsonb not null,
  inbound_agent_id uuid references agents on delete restrict,
  revision         integer not null default 1,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
create index phone_numbers_newest on phone_numbers (created_at desc, id desc);
create index phone_numbers_by_agent on phone_numbers (inbound_agent_id) where inbound_agent_id is not null;
