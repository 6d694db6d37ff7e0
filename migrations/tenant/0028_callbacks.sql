-- Callbacks that a campaign dials (decision 0073). A contact that asked in a call to be called again later waits for that
-- time in place of being completed. Its waits_for is then retry_delay, and a campaign that waits for callbacks alone has
-- that waiting_for with the waiting_detail callback: the release before this one knows no other values, and dials a callback
-- as a retry that is due then.
-- Functions 9a66a89291fc
-- Shipped content fa35ab78f6b7
alter table campaigns
  -- How often the campaign calls a contact back. With 0, as the release before, an agent only notes the wish.
  add column callbacks_per_contact integer not null default 0 check (callbacks_per_contact between 0 and 3);
alter table contacts
  -- When the person is to be called back, as the agent confirmed it. Null if no callback is outstanding. It is set during
  -- the call in which the person asks, and cleared when the callback is dialled.
  add column callback_at timestamptz,
  -- The number of callbacks that were dialled. Each permits one attempt in addition to the campaign's own.
  add column callbacks integer not null default 0 check (callbacks between 0 and 3);
create index contacts_called_back on contacts (campaign_id, due_at, position) where callback_at is not null;

-- The event of a callback keeps what changes when the callback is dialled.
alter table event_batches
  drop constraint event_batches_check,
  add constraint event_batches_check check (
    (data is not null) = (starts_with(type, 'campaign.') or type = 'contact.callback_scheduled'));

update tools set
  description = 'Arranges that the caller is called back at a certain time. Ask for day and time and confirm them first. The result says when the call will come, which may be another time, or why it cannot.',
  schema = $json${
     "type": "object",
     "properties": {
       "at": {"type": "string", "maxLength": 40, "description": "When to call back, such as 2026-11-22T17:00. A time without an offset is the local time of the caller, so leave the offset out if the caller named none."},
       "by": {"type": "string", "enum": ["agent", "colleague"], "description": "Who calls: agent (the default) means that you call again, colleague that a person of the company does. A call by a colleague is only noted."},
       "note": {"type": "string", "maxLength": 1000, "description": "What the call back is about."}
     },
     "required": ["at"],
     "additionalProperties": false
   }$json$::json, revision = revision + 1, updated_at = clock_timestamp()
where name = 'schedule_callback' and is_default and not modified_from_default;
