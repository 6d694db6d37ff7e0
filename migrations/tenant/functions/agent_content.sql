-- The content of a version. Labels that only people read (a tool's category and tags, a playbook's description) are not
-- part of it. For a tool that is switched off, only its settings are.
create or replace function agent_content(agent uuid) returns json language sql stable as $$
  select json_build_object(
    'agent', (
      select json_build_object(
        'name', name, 'description', description, 'system_prompt', system_prompt, 'first_message', first_message,
        'language', language, 'voice', voice, 'model', model, 'temperature', temperature,
        'max_call_seconds', max_call_seconds, 'silence_timeout_seconds', silence_timeout_seconds,
        'interruptible', interruptible, 'voicemail_action', voicemail_action, 'recording', recording,
        'recording_notice', recording_notice, 'disclosure', disclosure, 'opt_out_key', opt_out_key,
        'outcome_schema', outcome_schema, 'dispositions', dispositions)
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
