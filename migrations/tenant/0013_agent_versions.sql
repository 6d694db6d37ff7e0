-- What an agent is, frozen at every change (decision 0016). Triggers keep it, so no code can forget to: whoever writes to
-- an agent, its tools or its playbooks makes a version, a migration too. Lock order: tools, playbooks, agents, and these
-- after everything else.

alter table agents add column version integer not null default 0;

-- Each text once an agent: what goes back to what it was, and FAQs that come and go, take no further room.
create table agent_contents (
  agent_id uuid not null references agents on delete cascade,
  digest   bytea not null,
  -- Not jsonb: the schemas inside keep the order of their authors. Secrets stand in it as masks.
  content  json not null,
  primary key (agent_id, digest)
);

create table agent_versions (
  agent_id       uuid not null references agents on delete cascade,
  version        integer not null check (version > 0),
  -- Of all that it is; one that equals the version before it is none.
  digest         bytea not null,
  content_digest bytea not null,
  -- Those whose definition stands in the content.
  tool_ids       uuid[] not null,
  -- Which FAQs it may look up; what they say is looked up when it is asked for.
  faq_ids        uuid[] not null,
  -- The version that somebody went back to.
  restored_from  integer,
  -- Who made the change; null: the platform.
  created_by     jsonb,
  created_at     timestamptz not null default clock_timestamp(),
  primary key (agent_id, version),
  foreign key (agent_id, content_digest) references agent_contents (agent_id, digest)
);

-- A tool as an agent has it. A secret is sealed as {"$sealed": "…"}, which no client may write.
create function tool_definition(tool tools) returns json language sql stable as $$
  select json_build_object(
    'name', tool.name, 'description', tool.description, 'schema', tool.schema,
    'implementation_type', tool.implementation_type,
    'implementation_config',
      regexp_replace(tool.implementation_config::text, '\{"\$sealed": "[^"]*"\}', '"********"', 'g')::jsonb,
    'implementation_code', tool.implementation_code, 'is_default', tool.is_default)
$$;

create function playbook_definition(playbook playbooks) returns json language sql stable as $$
  select json_build_object('name', playbook.name, 'display_name', playbook.display_name, 'prompt', playbook.prompt,
    'tool_names', playbook.tool_names)
$$;

-- Labels that only people read (a tool's category and tags, a playbook's description) are no part of it, and of a tool
-- that is switched off its settings alone.
create function agent_content(agent uuid) returns json language sql stable as $$
  select json_build_object(
    'agent', (
      select json_build_object(
        'name', name, 'description', description, 'system_prompt', system_prompt, 'first_message', first_message,
        'language', language, 'voice', voice, 'model', model, 'temperature', temperature,
        'max_call_seconds', max_call_seconds, 'silence_timeout_seconds', silence_timeout_seconds,
        'interruptible', interruptible, 'voicemail_action', voicemail_action, 'recording', recording,
        'outcome_schema', outcome_schema)
      from agents where id = agent),
    'tools', (
      select coalesce(json_agg(json_build_object(
        'tool_id', t.id, 'tool_name', t.name, 'enabled', e.enabled, 'config', e.config,
        'definition', case when e.enabled then tool_definition(t) end) order by t.name), '[]')
      from agent_tools e join tools t on t.id = e.tool_id where e.agent_id = agent),
    'playbooks', (
      select coalesce(json_agg(json_build_object('playbook_id', p.id, 'definition', playbook_definition(p))
        order by a.position, a.created_at, p.id), '[]')
      from agent_playbooks a join playbooks p on p.id = a.playbook_id where a.agent_id = agent))
$$;

-- Makes a version of each of these agents that is not what its current one says. Whoever changes an agent holds its row
-- until the commit, and reads what it is after that: versions have no gap, and none is made twice.
-- `raised`: the agent's own revision has risen already.
create function agent_versions_keep(agent_ids uuid[], raised boolean default false, source integer default null)
returns void language plpgsql as $$
declare
  each uuid;
  current agent_versions;
  present integer;
  body json;
  body_digest bytea;
  whole_digest bytea;
  faqs uuid[];
begin
  for each in select distinct id from unnest(agent_ids) id order by id loop
    select version into present from agents where id = each for no key update;
    continue when not found;
    select * into current from agent_versions where agent_id = each and version = present;
    body := agent_content(each);
    faqs := array(select faq_id from agent_faqs where agent_id = each order by faq_id);
    body_digest := sha256(convert_to(body::text, 'UTF8'));
    whole_digest := sha256(body_digest || convert_to(array_to_string(faqs, ','), 'UTF8'));
    continue when current.digest = whole_digest;
    insert into agent_contents (agent_id, digest, content) values (each, body_digest, body) on conflict do nothing;
    insert into agent_versions
      (agent_id, version, digest, content_digest, tool_ids, faq_ids, restored_from, created_by)
    values (
      each, present + 1, whole_digest, body_digest,
      array(select tool_id from agent_tools where agent_id = each and enabled order by tool_id), faqs, source,
      nullif(current_setting('parley.author', true), '')::jsonb);
    -- The agent as it is shown names its version, so its ETag is another one.
    update agents set version = present + 1, revision = revision + case when raised then 0 else 1 end where id = each;
  end loop;
end $$;

create function agent_changed() returns trigger language plpgsql as $$
declare
  touched uuid[];
begin
  -- A change in several steps makes one version, at its end.
  if current_setting('parley.versions_held', true) = 'on' then return null; end if;
  if tg_table_name = 'agents' then
    select array_agg(id) into touched from new_rows;
  elsif tg_table_name = 'tools' then
    select array_agg(e.agent_id) into touched from agent_tools e join new_rows t on t.id = e.tool_id where e.enabled;
  elsif tg_table_name = 'playbooks' then
    select array_agg(a.agent_id) into touched from agent_playbooks a join new_rows p on p.id = a.playbook_id;
  elsif tg_op = 'DELETE' then
    select array_agg(agent_id) into touched from old_rows;
  else
    select array_agg(agent_id) into touched from new_rows;
  end if;
  if touched is not null then perform agent_versions_keep(touched, tg_table_name = 'agents'); end if;
  return null;
end $$;

create trigger agent_version_of_agent after insert on agents referencing new table as new_rows
  for each statement execute function agent_changed();
-- Not of the update that writes the version down.
create trigger agent_version_of_change after update on agents referencing new table as new_rows
  for each statement when (pg_trigger_depth() = 0) execute function agent_changed();
create trigger agent_version_of_tool after update on tools referencing new table as new_rows
  for each statement execute function agent_changed();
create trigger agent_version_of_playbook after update on playbooks referencing new table as new_rows
  for each statement execute function agent_changed();

do $triggers$
declare
  part text;
begin
  foreach part in array array['agent_tools', 'agent_playbooks', 'agent_faqs'] loop
    execute format('create trigger agent_version_of_new after insert on %I referencing new table as new_rows
      for each statement execute function agent_changed()', part);
    execute format('create trigger agent_version_of_changed after update on %I referencing new table as new_rows
      for each statement execute function agent_changed()', part);
    execute format('create trigger agent_version_of_gone after delete on %I referencing old table as old_rows
      for each statement execute function agent_changed()', part);
  end loop;
end $triggers$;

-- A campaign keeps the version that it started with; a draft has none yet. A call names the one that it was held with.
alter table campaigns add column agent_version integer;
alter table calls add column agent_version integer;

-- Agents that are there already have been as they are.
select agent_versions_keep(array(select id from agents), true);
update campaigns c set agent_version = a.version from agents a
  where a.id = c.agent_id and c.status in ('running', 'paused');

-- Rehearsals of an agent, each against one of its versions (docs/scenarios.md). Nothing else refers to them.
create table scenario_runs (
  id            uuid primary key,
  agent_id      uuid not null references agents on delete cascade,
  agent_version integer not null,
  scenarios     jsonb not null,
  status        text not null default 'running' check (status in ('running', 'completed', 'interrupted')),
  -- Of those that have ended, in their order.
  results       jsonb not null default '[]',
  passed        integer not null default 0,
  failed        integer not null default 0,
  created_by    jsonb,
  created_at    timestamptz not null default clock_timestamp(),
  -- After it nobody runs it any more, whatever its status says.
  deadline      timestamptz not null,
  ended_at      timestamptz
);
create index scenario_runs_of_agent on scenario_runs (agent_id, id desc);
