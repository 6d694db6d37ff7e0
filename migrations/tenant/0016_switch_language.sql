-- The built-in tool that changes the language of a call. An account that has a tool of its own under this name keeps it, and
-- does not get this one.
insert into tools
  (id, name, display_name, category, description, schema, implementation_type, implementation_config, tags, is_default)
values
  ('019aa000-0000-7000-8000-000000000013', 'switch_language', 'Switch language', 'call',
   'Changes the language in which you hear the caller and speak. Call it as soon as the caller speaks another language, or asks for one, before you answer. Then go on in that language.',
   $json${
     "type": "object",
     "properties": {
       "language": {"type": "string", "maxLength": 35, "description": "The language as a tag, such as de or es."}
     },
     "required": ["language"],
     "additionalProperties": false
   }$json$, 'python', '{}', array['call'], true)
on conflict (name) do nothing;
