-- A tool as the content of a version has it. A sealed secret is {"$sealed": "…"}, which no client may write; it is masked.
create or replace function tool_definition(tool tools) returns json language sql stable as $$
  select json_build_object(
    'name', tool.name, 'description', tool.description, 'schema', tool.schema,
    'implementation_type', tool.implementation_type,
    'implementation_config',
      regexp_replace(tool.implementation_config::text, '\{"\$sealed": "[^"]*"\}', '"********"', 'g')::jsonb,
    'implementation_code', tool.implementation_code, 'is_default', tool.is_default)
$$;
