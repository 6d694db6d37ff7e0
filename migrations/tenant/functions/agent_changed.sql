-- Runs after every write to an agent, its tools, its playbooks or its FAQs, and makes the version that follows from it.
create or replace function agent_changed() returns trigger language plpgsql as $$
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
