-- The built-in tools, which run inside the platform under their names (src/tools/builtin). An account may change them, but
-- not delete them. The playbooks and FAQs that every account begins with are the files of src/catalog/shipped;
-- they are written after the migrations, whenever one of them is new.
-- Shipped content 3d96256eaf01

insert into tools
  (id, name, display_name, category, description, schema, implementation_type, implementation_config, tags, is_default)
select id::uuid, name, display_name, category, description, schema::json, 'python', '{}', tags, true
from (values
  ('019aa000-0000-7000-8000-000000000001', 'end_call', 'End call', 'call',
   'Ends the call. Say goodbye first; nothing can be said afterwards.',
   $json${
     "type": "object",
     "properties": {
       "reason": {"type": "string", "maxLength": 500, "description": "Why the call ends, in a few words, for the record."}
     },
     "required": [],
     "additionalProperties": false
   }$json$, array['call']),
  ('019aa000-0000-7000-8000-000000000002', 'transfer_call', 'Transfer call', 'call',
   'Hands the call to a person. Use it when the caller asks for one, or when you cannot help. Tell the caller first.',
   $json${
     "type": "object",
     "properties": {
       "to": {"type": "string", "pattern": "^\\+[1-9][0-9]{6,14}$",
              "description": "The number to transfer to, in E.164. Leave it out for the one that is configured."},
       "reason": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What the caller needs, for the person who takes over."}
     },
     "required": ["reason"],
     "additionalProperties": false
   }$json$, array['call']),
  ('019aa000-0000-7000-8000-000000000003', 'send_dtmf', 'Send DTMF', 'call',
   'Presses keys of the telephone, to get through the menu of an answering system.',
   $json${
     "type": "object",
     "properties": {
       "digits": {"type": "string", "pattern": "^[0-9A-D*#w]{1,32}$",
                  "description": "Keys in order: 0-9, *, #, A-D; w waits half a second."}
     },
     "required": ["digits"],
     "additionalProperties": false
   }$json$, array['call']),
  ('019aa000-0000-7000-8000-000000000004', 'lookup_faq', 'Look up FAQ', 'knowledge',
   'Finds the answer to a question among the FAQs. Use it before you answer a question of fact about the business.',
   $json${
     "type": "object",
     "properties": {
       "question": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "The question, as the caller put it."}
     },
     "required": ["question"],
     "additionalProperties": false
   }$json$, array['knowledge']),
  ('019aa000-0000-7000-8000-000000000005', 'get_current_time', 'Get current time', 'knowledge',
   'Tells the date, the time and the day of the week.',
   $json${
     "type": "object",
     "properties": {
       "time_zone": {"type": "string", "maxLength": 64,
                     "description": "IANA name, such as Europe/Berlin. Leave it out for the account's own time zone."}
     },
     "required": [],
     "additionalProperties": false
   }$json$, array['knowledge']),
  ('019aa000-0000-7000-8000-000000000006', 'record_outcome', 'Record outcome', 'outcome',
   'Records what came out of the call, as fields. Call it as soon as the outcome is known; calling it again replaces it.',
   $json${
     "type": "object",
     "properties": {
       "outcome": {"type": "object", "description": "The fields that the agent was told to record."}
     },
     "required": ["outcome"],
     "additionalProperties": false
   }$json$, array['outcome']),
  ('019aa000-0000-7000-8000-000000000007', 'schedule_callback', 'Schedule callback', 'outcome',
   'Notes that the caller wants to be called back at a certain time. Confirm the time with the caller first.',
   $json${
     "type": "object",
     "properties": {
       "at": {"type": "string", "format": "date-time", "description": "When to call back, RFC 3339 with an offset."},
       "note": {"type": "string", "maxLength": 1000, "description": "What the call back is about."}
     },
     "required": ["at"],
     "additionalProperties": false
   }$json$, array['outcome']),
  ('019aa000-0000-7000-8000-000000000008', 'add_to_do_not_call', 'Add to do-not-call list', 'compliance',
   'Puts the caller''s number on the do-not-call list. Use it whenever the caller asks not to be called again, and confirm it.',
   $json${
     "type": "object",
     "properties": {
       "reason": {"type": "string", "maxLength": 500, "description": "What the caller said."}
     },
     "required": [],
     "additionalProperties": false
   }$json$, array['compliance']),
  ('019aa000-0000-7000-8000-000000000009', 'leave_voicemail', 'Leave voicemail', 'call',
   'Leaves a message after the beep of a voicemail, then ends the call.',
   $json${
     "type": "object",
     "properties": {
       "message": {"type": "string", "minLength": 1, "maxLength": 2000,
                   "description": "What to say. Leave it out to leave the agent's first message."}
     },
     "required": [],
     "additionalProperties": false
   }$json$, array['call'])
) as shipped (id, name, display_name, category, description, schema, tags);
