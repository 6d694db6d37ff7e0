-- The built-in tool that takes a number from the caller's keys. An account that has a tool of its own under this name keeps
-- it, and does not get this one.
insert into tools
  (id, name, display_name, category, description, schema, implementation_type, implementation_config, tags, is_default)
values
  ('019aa000-0000-7000-8000-000000000012', 'collect_digits', 'Collect digits', 'call',
   'Lets the caller press a number on the keys of the telephone, such as a card, customer or PIN number. In the same reply, ask for the number and say how it ends, for example with the hash key; the star key starts over. You are not shown the digits. The result says how many came, and has a reference: give it, exactly as it is, as the argument of a tool that needs the number.',
   $json${
     "type": "object",
     "properties": {
       "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,31}$", "description": "A name for the number, such as card_number."},
       "min": {"type": "integer", "minimum": 1, "maximum": 32, "description": "The fewest digits that it has. Default 1."},
       "max": {"type": "integer", "minimum": 1, "maximum": 32, "description": "The most digits that it has: the last one ends it. Default 20."},
       "finish_on_key": {"enum": ["#", "*", "none"], "description": "The key after the last digit. Default #."},
       "timeout_seconds": {"type": "number", "minimum": 1, "maximum": 60, "description": "How long to wait for each next key. Default 8."}
     },
     "required": ["name"],
     "additionalProperties": false
   }$json$, 'python', '{}', array['call'], true)
on conflict (name) do nothing;
