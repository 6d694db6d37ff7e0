-- A playbook as the content of a version has it.
create or replace function playbook_definition(playbook playbooks) returns json language sql stable as $$
  select json_build_object('name', playbook.name, 'display_name', playbook.display_name, 'prompt', playbook.prompt,
    'tool_names', playbook.tool_names)
$$;
