-- The built-in tools that pause the recording of a call. An account that has tools of its own under these names keeps
-- them, and does not get these.
insert into tools
  (id, name, display_name, category, description, schema, implementation_type, implementation_config, tags, is_default)
select id::uuid, name, display_name, 'compliance', description, schema::json, 'python', '{}', array['compliance'], true
from (values
  ('019aa000-0000-7000-8000-000000000010', 'pause_recording', 'Pause recording',
   'Pauses the recording of the call. Use it before the caller says something that must not be recorded, such as a card number, and when the caller objects to the recording.',
   $json${"type": "object", "properties": {}, "required": [], "additionalProperties": false}$json$),
  ('019aa000-0000-7000-8000-000000000011', 'resume_recording', 'Resume recording',
   'Resumes the recording of the call after pause_recording. Not if the caller objected to the recording.',
   $json${"type": "object", "properties": {}, "required": [], "additionalProperties": false}$json$)
) as shipped (id, name, display_name, description, schema)
on conflict (name) do nothing;
