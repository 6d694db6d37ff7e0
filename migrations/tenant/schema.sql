-- What the roles of accounts may do

alter default privileges in schema public grant select, usage on sequences to parley_tenant;
alter default privileges in schema public grant delete, insert, select, update on tables to parley_tenant;

-- Tables

create table agent_contents (
  agent_id uuid not null,
  digest bytea not null,
  content json not null,
  has_outcome_fields boolean not null generated always as (COALESCE((json_typeof((((content -> 'agent'::text) -> 'outcome_schema'::text) -> 'properties'::text)) = 'object'::text), false)) stored,
  has_dispositions boolean not null generated always as (COALESCE((json_array_length(((content -> 'agent'::text) -> 'dispositions'::text)) > 0), false)) stored,
  constraint agent_contents_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint agent_contents_pkey PRIMARY KEY (agent_id, digest)
);

create table agent_faqs (
  agent_id uuid not null,
  faq_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint agent_faqs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint agent_faqs_faq_id_fkey FOREIGN KEY (faq_id) REFERENCES faqs(id) ON DELETE RESTRICT,
  constraint agent_faqs_pkey PRIMARY KEY (agent_id, faq_id)
);

create table agent_playbooks (
  agent_id uuid not null,
  playbook_id uuid not null,
  "position" integer not null,
  created_at timestamp with time zone not null default now(),
  constraint agent_playbooks_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint agent_playbooks_pkey PRIMARY KEY (agent_id, playbook_id),
  constraint agent_playbooks_playbook_id_fkey FOREIGN KEY (playbook_id) REFERENCES playbooks(id) ON DELETE RESTRICT
);

create table agent_tools (
  agent_id uuid not null,
  tool_id uuid not null,
  config jsonb not null,
  enabled boolean not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint agent_tools_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint agent_tools_pkey PRIMARY KEY (agent_id, tool_id),
  constraint agent_tools_tool_id_fkey FOREIGN KEY (tool_id) REFERENCES tools(id) ON DELETE RESTRICT
);

create table agent_versions (
  agent_id uuid not null,
  version integer not null,
  digest bytea not null,
  content_digest bytea not null,
  tool_ids uuid[] not null,
  faq_ids uuid[] not null,
  restored_from integer,
  created_by jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint agent_versions_agent_id_content_digest_fkey FOREIGN KEY (agent_id, content_digest) REFERENCES agent_contents(agent_id, digest),
  constraint agent_versions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint agent_versions_pkey PRIMARY KEY (agent_id, version),
  constraint agent_versions_version_check CHECK ((version > 0))
);

create table agents (
  id uuid not null,
  name text not null,
  description text not null,
  system_prompt text not null,
  first_message text not null,
  language text not null,
  voice jsonb not null,
  model jsonb not null,
  temperature double precision not null,
  max_call_seconds integer not null,
  silence_timeout_seconds integer not null,
  interruptible boolean not null,
  voicemail_action text not null,
  recording boolean not null,
  outcome_schema json,
  is_default boolean not null default false,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  version integer not null default 0,
  recording_notice text not null default ''::text,
  disclosure text not null default ''::text,
  opt_out_key text,
  dispositions jsonb not null default '[]'::jsonb,
  constraint agents_dispositions_check CHECK ((jsonb_typeof(dispositions) = 'array'::text)),
  constraint agents_name_key UNIQUE (name),
  constraint agents_opt_out_key_check CHECK ((opt_out_key ~ '^[0-9*#]$'::text)),
  constraint agents_pkey PRIMARY KEY (id),
  constraint agents_voicemail_action_check CHECK ((voicemail_action = ANY (ARRAY['hang_up'::text, 'leave_message'::text])))
);

create table answered_days (
  day date not null,
  answered integer not null,
  abandoned integer not null,
  constraint answered_days_pkey PRIMARY KEY (day)
);

create table api_keys (
  id uuid not null,
  key_id text not null,
  name text not null,
  scopes text[] not null,
  secret_hash bytea not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint api_keys_key_id_key UNIQUE (key_id),
  constraint api_keys_pkey PRIMARY KEY (id)
);

create table audit_entries (
  id uuid not null,
  at timestamp with time zone not null default clock_timestamp(),
  actor_type text not null,
  actor_id text,
  actor_issuer text,
  actor_name text,
  address text,
  request_id text,
  action text not null,
  object_kind text not null,
  object_id text,
  object_name text,
  changes jsonb not null default '[]'::jsonb,
  constraint audit_entries_actor_type_check CHECK ((actor_type = ANY (ARRAY['person'::text, 'api_key'::text, 'command_line'::text]))),
  constraint audit_entries_pkey PRIMARY KEY (id)
);

create table budget (
  is_only_row boolean not null default true,
  concurrent_max integer not null,
  calls_per_minute integer not null,
  calls_per_day integer not null,
  time_zone text not null,
  calling_window jsonb,
  in_use integer not null default 0,
  day date not null default '-infinity'::date,
  calls_today integer not null default 0,
  closed_at timestamp with time zone,
  daily_spend_cap numeric(15,6),
  day_since timestamp with time zone not null default clock_timestamp(),
  spent_today numeric(18,6) not null default 0,
  reserved_today numeric(18,6) not null default 0,
  consent_days integer,
  constraint budget_calls_per_day_check CHECK ((calls_per_day > 0)),
  constraint budget_calls_per_minute_check CHECK ((calls_per_minute > 0)),
  constraint budget_calls_today_check CHECK ((calls_today >= 0)),
  constraint budget_concurrent_max_check CHECK ((concurrent_max > 0)),
  constraint budget_consent_days_check CHECK (((consent_days >= 1) AND (consent_days <= 3650))),
  constraint budget_daily_spend_cap_check CHECK ((daily_spend_cap >= (0)::numeric)),
  constraint budget_in_use_check CHECK ((in_use >= 0)),
  constraint budget_is_only_row_check CHECK (is_only_row),
  constraint budget_pkey PRIMARY KEY (is_only_row),
  constraint budget_reserved_today_check CHECK ((reserved_today >= (0)::numeric))
);

create table call_listeners (
  id uuid not null,
  call_id uuid not null,
  listener jsonb not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint call_listeners_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint call_listeners_pkey PRIMARY KEY (id)
);

create table call_notes (
  id uuid not null,
  call_id uuid not null,
  written_by jsonb not null,
  text text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint call_notes_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint call_notes_pkey PRIMARY KEY (id),
  constraint call_notes_text_check CHECK ((length(text) <= 4000))
);

create table call_offers (
  call_id uuid not null,
  from_node uuid not null,
  node_id uuid,
  offered_at timestamp with time zone not null default clock_timestamp(),
  constraint call_offers_pkey PRIMARY KEY (call_id)
);

create table call_seconds (
  second timestamp with time zone not null,
  campaign_id uuid not null,
  calls integer not null,
  constraint call_seconds_pkey PRIMARY KEY (second, campaign_id)
);

create table call_takeovers (
  id uuid not null,
  call_id uuid not null,
  taken_by jsonb not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint call_takeovers_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint call_takeovers_pkey PRIMARY KEY (id)
);

create table calls (
  id uuid not null,
  direction text not null,
  status text not null,
  outcome text,
  agent_id uuid not null,
  agent_name text not null,
  campaign_id uuid,
  contact_id uuid,
  attempt_number integer,
  phone_number_id uuid,
  to_number text,
  from_number text,
  variables jsonb,
  node_id uuid not null,
  started_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  ended_at timestamp with time zone,
  transcript jsonb not null default '[]'::jsonb,
  tool_invocations jsonb not null default '[]'::jsonb,
  turns jsonb not null default '[]'::jsonb,
  result jsonb,
  cost jsonb not null default '{}'::jsonb,
  end_reason text,
  dial_record_id uuid,
  agent_version integer,
  sound jsonb,
  answered_by jsonb,
  transfer_of uuid,
  disclosure jsonb,
  opt_out jsonb,
  reserved numeric(15,6),
  written_off numeric(15,6),
  disposition jsonb,
  day_part text,
  constraint calls_check CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text])))),
  constraint calls_check1 CHECK (((contact_id IS NULL) = (attempt_number IS NULL))),
  constraint calls_contact_id_attempt_number_key UNIQUE (contact_id, attempt_number),
  constraint calls_day_part_check CHECK ((day_part = ANY (ARRAY['morning'::text, 'midday'::text, 'afternoon'::text, 'evening'::text]))),
  constraint calls_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text, 'web'::text]))),
  constraint calls_disclosure_check CHECK ((jsonb_typeof(disclosure) = 'object'::text)),
  constraint calls_disposition_check CHECK ((jsonb_typeof(disposition) = 'object'::text)),
  constraint calls_opt_out_check CHECK ((jsonb_typeof(opt_out) = 'object'::text)),
  constraint calls_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'voicemail'::text, 'no_answer'::text, 'busy'::text, 'rejected'::text, 'invalid_number'::text, 'carrier_error'::text, 'unknown'::text]))),
  constraint calls_pkey PRIMARY KEY (id),
  constraint calls_reserved_check CHECK ((reserved >= (0)::numeric)),
  constraint calls_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'ringing'::text, 'in_progress'::text, 'completed'::text, 'failed'::text]))),
  constraint calls_written_off_check CHECK ((written_off >= (0)::numeric))
) with (fillfactor=45);

create table campaign_progress (
  campaign_id uuid not null,
  total integer not null default 0,
  pending integer not null default 0,
  in_progress integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  active_calls integer not null default 0,
  dialed integer not null default 0,
  outcomes jsonb not null default '{}'::jsonb,
  cost numeric not null default 0,
  next_round double precision not null default 0,
  last_round double precision not null default 0,
  wants integer not null default 0,
  wants_of_number integer not null default 0,
  asked_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  last_position integer not null default 0,
  to_be_retried integer not null default 0,
  ended_answered integer not null default 0,
  ended_voicemail integer not null default 0,
  ended_no_answer integer not null default 0,
  ended_busy integer not null default 0,
  ended_rejected integer not null default 0,
  ended_invalid_number integer not null default 0,
  ended_carrier_error integer not null default 0,
  ended_unknown integer not null default 0,
  reserved numeric(18,6) not null default 0,
  written_off numeric(18,6) not null default 0,
  cost_parts jsonb not null default '{}'::jsonb,
  dispositions jsonb not null default '{}'::jsonb,
  constraint campaign_progress_active_calls_check CHECK ((active_calls >= 0)),
  constraint campaign_progress_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE,
  constraint campaign_progress_completed_check CHECK ((completed >= 0)),
  constraint campaign_progress_ended_answered_check CHECK ((ended_answered >= 0)),
  constraint campaign_progress_ended_busy_check CHECK ((ended_busy >= 0)),
  constraint campaign_progress_ended_carrier_error_check CHECK ((ended_carrier_error >= 0)),
  constraint campaign_progress_ended_invalid_number_check CHECK ((ended_invalid_number >= 0)),
  constraint campaign_progress_ended_no_answer_check CHECK ((ended_no_answer >= 0)),
  constraint campaign_progress_ended_rejected_check CHECK ((ended_rejected >= 0)),
  constraint campaign_progress_ended_unknown_check CHECK ((ended_unknown >= 0)),
  constraint campaign_progress_ended_voicemail_check CHECK ((ended_voicemail >= 0)),
  constraint campaign_progress_failed_check CHECK ((failed >= 0)),
  constraint campaign_progress_in_progress_check CHECK ((in_progress >= 0)),
  constraint campaign_progress_pending_check CHECK ((pending >= 0)),
  constraint campaign_progress_pkey PRIMARY KEY (campaign_id),
  constraint campaign_progress_reserved_check CHECK ((reserved >= (0)::numeric)),
  constraint campaign_progress_skipped_check CHECK ((skipped >= 0)),
  constraint campaign_progress_to_be_retried_check CHECK ((to_be_retried >= 0))
);

create table campaigns (
  id uuid not null,
  name text not null,
  agent_id uuid not null,
  phone_number_id uuid not null,
  status text not null,
  max_concurrent_calls integer not null,
  retries_per_contact integer not null,
  retry_delay_seconds integer not null,
  scheduled_at timestamp with time zone,
  calling_window jsonb,
  max_calls_per_minute integer,
  duplicate_policy text not null,
  redial_unknown boolean not null,
  default_country text,
  columns text[] not null,
  import jsonb not null,
  waiting_for text,
  end_reason text,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  epoch integer not null default 0,
  agent_version integer,
  variables jsonb,
  variables_of text,
  waiting_detail text,
  contacts_erased boolean not null default false,
  callbacks_per_contact integer not null default 0,
  rule_packs text[] not null default '{}'::text[],
  rules jsonb not null default '[]'::jsonb,
  subject text,
  required_consent jsonb,
  max_spend numeric(15,6),
  retry_by_outcome jsonb,
  caller_numbers uuid[] not null default '{}'::uuid[],
  local_presence boolean not null default false,
  number_rest jsonb,
  quiet_after_answer_seconds integer,
  retry_time_of_day text,
  opt_out_scope text not null default 'account'::text,
  constraint campaigns_callbacks_per_contact_check CHECK (((callbacks_per_contact >= 0) AND (callbacks_per_contact <= 3))),
  constraint campaigns_check CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text])))),
  constraint campaigns_check1 CHECK (((end_reason IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text])))),
  constraint campaigns_duplicate_policy_check CHECK ((duplicate_policy = ANY (ARRAY['skip'::text, 'reject'::text, 'keep'::text]))),
  constraint campaigns_end_reason_check CHECK ((end_reason = ANY (ARRAY['finished'::text, 'stopped'::text, 'agent_missing'::text, 'phone_number_missing'::text, 'carrier_rejected'::text]))),
  constraint campaigns_max_calls_per_minute_check CHECK ((max_calls_per_minute > 0)),
  constraint campaigns_max_concurrent_calls_check CHECK ((max_concurrent_calls > 0)),
  constraint campaigns_max_spend_check CHECK ((max_spend >= (0)::numeric)),
  constraint campaigns_number_rest_check CHECK ((jsonb_typeof(number_rest) = 'object'::text)),
  constraint campaigns_opt_out_scope_check CHECK ((opt_out_scope = ANY (ARRAY['account'::text, 'subject'::text]))),
  constraint campaigns_pkey PRIMARY KEY (id),
  constraint campaigns_quiet_after_answer_seconds_check CHECK (((quiet_after_answer_seconds >= 1) AND (quiet_after_answer_seconds <= 31622400))),
  constraint campaigns_required_consent_check CHECK ((jsonb_typeof(required_consent) = 'object'::text)),
  constraint campaigns_retries_per_contact_check CHECK (((retries_per_contact >= 0) AND (retries_per_contact <= 10))),
  constraint campaigns_retry_by_outcome_check CHECK ((jsonb_typeof(retry_by_outcome) = 'object'::text)),
  constraint campaigns_retry_delay_seconds_check CHECK (((retry_delay_seconds >= 0) AND (retry_delay_seconds <= 604800))),
  constraint campaigns_retry_time_of_day_check CHECK ((retry_time_of_day = ANY (ARRAY['rotate'::text, 'best'::text]))),
  constraint campaigns_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'running'::text, 'paused'::text, 'completed'::text, 'failed'::text]))),
  constraint campaigns_waiting_for_check CHECK ((waiting_for = ANY (ARRAY['concurrent_cap'::text, 'per_minute_cap'::text, 'daily_cap'::text, 'spend_cap'::text, 'calling_window'::text, 'rule'::text, 'quiet_period'::text, 'time_of_day'::text, 'budget'::text, 'retry_delay'::text, 'carrier'::text, 'restored'::text])))
);

create table carrier_calls (
  call_id uuid not null,
  sid text,
  status text not null,
  sequence integer not null,
  answered_at timestamp with time zone,
  duration_seconds integer,
  sip_code integer,
  words jsonb not null default '[]'::jsonb,
  version integer not null default 1,
  updated_at timestamp with time zone not null default now(),
  dialog jsonb,
  invitation jsonb,
  constraint carrier_calls_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint carrier_calls_pkey PRIMARY KEY (call_id),
  constraint carrier_calls_sid_key UNIQUE (sid),
  constraint carrier_calls_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'initiated'::text, 'ringing'::text, 'in-progress'::text, 'canceled'::text, 'failed'::text, 'busy'::text, 'no-answer'::text, 'completed'::text, 'ended'::text])))
);

create table carrier_health (
  campaign_id uuid not null,
  slice_at timestamp with time zone not null,
  ended integer not null,
  failed integer not null,
  constraint carrier_health_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE,
  constraint carrier_health_pkey PRIMARY KEY (campaign_id, slice_at)
);

create table consents (
  id uuid not null,
  kind text not null,
  phone_number text,
  basis text,
  subject text,
  seller text,
  channel text not null,
  text text,
  source text,
  external_id text,
  call_id uuid,
  at timestamp with time zone not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  used_at timestamp with time zone,
  constraint consents_basis_check CHECK ((basis = ANY (ARRAY['express_written'::text, 'express'::text, 'existing_relationship'::text, 'legitimate_interest'::text]))),
  constraint consents_channel_check CHECK ((channel = ANY (ARRAY['automated_call'::text, 'live_call'::text, 'any_call'::text]))),
  constraint consents_check CHECK (((kind = 'consent'::text) = (basis IS NOT NULL))),
  constraint consents_check1 CHECK (((kind = 'consent'::text) OR (expires_at IS NULL))),
  constraint consents_kind_check CHECK ((kind = ANY (ARRAY['consent'::text, 'revocation'::text]))),
  constraint consents_pkey PRIMARY KEY (id)
);

create table contacts (
  id uuid not null,
  campaign_id uuid not null,
  "position" integer not null,
  phone_number text not null,
  custom_fields jsonb not null,
  status text not null default 'pending'::text,
  outcome text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  waits_for text,
  last_call_id uuid,
  skip_reason text,
  updated_at timestamp with time zone not null default now(),
  deleted_calls integer not null default 0,
  callback_at timestamp with time zone,
  callbacks integer not null default 0,
  external_id text,
  withdrawn_at timestamp with time zone,
  priority smallint not null default 0,
  final_call_id uuid,
  additional_numbers text[],
  callback_by text,
  constraint contacts_additional_numbers_check CHECK ((((cardinality(additional_numbers) >= 1) AND (cardinality(additional_numbers) <= 4)) AND (array_position(additional_numbers, NULL::text) IS NULL))),
  constraint contacts_callback_by_check CHECK ((callback_by = ANY (ARRAY['agent'::text, 'person'::text]))),
  constraint contacts_callbacks_check CHECK (((callbacks >= 0) AND (callbacks <= 3))),
  constraint contacts_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE,
  constraint contacts_campaign_id_position_key UNIQUE (campaign_id, "position"),
  constraint contacts_check CHECK (((skip_reason IS NOT NULL) = (status = 'skipped'::text))),
  constraint contacts_pkey PRIMARY KEY (id),
  constraint contacts_priority_check CHECK (((priority >= 0) AND (priority <= 100))),
  constraint contacts_skip_reason_check CHECK ((skip_reason = ANY (ARRAY['stopped'::text, 'do_not_call'::text, 'outside_window'::text, 'erased'::text, 'withdrawn'::text, 'no_consent'::text, 'rule'::text, 'final_disposition'::text]))),
  constraint contacts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'completed'::text, 'failed'::text, 'skipped'::text]))),
  constraint contacts_waits_for_check CHECK ((waits_for = ANY (ARRAY['retry_delay'::text, 'calling_window'::text, 'rule'::text, 'quiet_period'::text, 'time_of_day'::text])))
) with (fillfactor=40);

create table decisions (
  contact_id uuid not null,
  reason text not null,
  count integer not null default 1,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  until timestamp with time zone,
  record jsonb not null,
  constraint decisions_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE CASCADE,
  constraint decisions_pkey PRIMARY KEY (contact_id, reason),
  constraint decisions_reason_check CHECK ((reason = ANY (ARRAY['calling_window'::text, 'do_not_call'::text, 'no_consent'::text, 'outside_window'::text, 'rule'::text, 'quiet_period'::text, 'time_of_day'::text])))
);

create table dial_records (
  id uuid not null,
  record jsonb not null,
  sealed boolean not null default false,
  constraint dial_records_pkey PRIMARY KEY (id)
);

create table erased_suppressions (
  digest bytea not null,
  source text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  constraint erased_suppressions_pkey PRIMARY KEY (digest)
);

create table event_batches (
  first_seq bigint not null,
  type text not null,
  subject_ids uuid[] storage external not null,
  created_at timestamp with time zone not null,
  data jsonb,
  constraint event_batches_check CHECK (((data IS NOT NULL) = (starts_with(type, 'campaign.'::text) OR (type = ANY (ARRAY['contact.callback_scheduled'::text, 'phone_number.rested'::text]))))),
  constraint event_batches_pkey PRIMARY KEY (first_seq),
  constraint event_batches_subject_ids_check CHECK ((cardinality(subject_ids) > 0))
);

create table event_log (
  is_only_row boolean not null default true,
  last_seq bigint not null default 0,
  pruned_seq bigint not null default 0,
  constraint event_log_is_only_row_check CHECK (is_only_row),
  constraint event_log_pkey PRIMARY KEY (is_only_row)
);

create table exports (
  id uuid not null,
  status text not null default 'running'::text,
  host text not null,
  has_recordings boolean not null,
  progress jsonb not null,
  bytes bigint,
  reason text,
  created_by jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  seen_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint exports_check CHECK (((status = 'running'::text) = (ended_at IS NULL))),
  constraint exports_check1 CHECK (((status = 'completed'::text) <= ((bytes IS NOT NULL) AND (expires_at IS NOT NULL)))),
  constraint exports_pkey PRIMARY KEY (id),
  constraint exports_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text, 'expired'::text])))
);

create table extractions (
  call_id uuid not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default clock_timestamp(),
  reason text,
  fields jsonb not null default '[]'::jsonb,
  ended_at timestamp with time zone,
  constraint extractions_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint extractions_check CHECK (((reason IS NOT NULL) = (state = 'failed'::text))),
  constraint extractions_check1 CHECK (((ended_at IS NULL) = (state = 'pending'::text))),
  constraint extractions_pkey PRIMARY KEY (call_id),
  constraint extractions_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text])))
);

create table faq_embeddings (
  faq_id uuid not null,
  model text not null,
  embedding real[] not null,
  constraint faq_embeddings_faq_id_fkey FOREIGN KEY (faq_id) REFERENCES faqs(id) ON DELETE CASCADE,
  constraint faq_embeddings_pkey PRIMARY KEY (faq_id)
);

create table faq_vocabulary (
  word text collate "C" not null,
  constraint faq_vocabulary_pkey PRIMARY KEY (word)
);

create table faq_words (
  word text collate "C" not null,
  faq_id uuid not null,
  in_question boolean not null,
  constraint faq_words_faq_id_fkey FOREIGN KEY (faq_id) REFERENCES faqs(id) ON DELETE CASCADE,
  constraint faq_words_pkey PRIMARY KEY (word, faq_id)
);

create table faqs (
  id uuid not null,
  name text not null,
  question text not null,
  answer text not null,
  category text not null,
  is_default boolean not null default false,
  modified_from_default boolean not null default false,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  search tsvector not null generated always as ((setweight(to_tsvector('english'::regconfig, "left"(question, 2000)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, "left"(answer, 20000)), 'B'::"char"))) stored,
  constraint faqs_name_key UNIQUE (name),
  constraint faqs_pkey PRIMARY KEY (id)
);

create table held_lines (
  line text not null,
  call_id uuid not null,
  constraint held_lines_pkey PRIMARY KEY (line)
) with (autovacuum_vacuum_threshold=5000, autovacuum_vacuum_scale_factor=0);

create table idempotency (
  scope text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  headers jsonb not null,
  body bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_pkey PRIMARY KEY (scope, key)
);

create table live_calls (
  line text not null,
  call_id uuid not null,
  contact_id uuid,
  constraint calls_one_live_a_number PRIMARY KEY (line)
) with (autovacuum_vacuum_threshold=5000, autovacuum_vacuum_scale_factor=0);

create table live_chats (
  call_id uuid not null,
  secret_hash bytea not null,
  session text not null,
  greeting text,
  message_ids text[] not null default '{}'::text[],
  waits_since timestamp with time zone,
  constraint live_chats_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint live_chats_pkey PRIMARY KEY (call_id),
  constraint live_chats_secret_hash_key UNIQUE (secret_hash)
);

create table number_days (
  phone_number_id uuid not null,
  day date not null,
  campaign_id uuid not null,
  begun integer not null default 0,
  rang integer not null default 0,
  answered integer not null default 0,
  last_at timestamp with time zone,
  constraint number_days_pkey PRIMARY KEY (phone_number_id, day, campaign_id)
);

create table number_paces (
  phone_number_id uuid not null,
  free_at timestamp with time zone not null,
  constraint number_paces_phone_number_id_fkey FOREIGN KEY (phone_number_id) REFERENCES phone_numbers(id) ON DELETE CASCADE,
  constraint number_paces_pkey PRIMARY KEY (phone_number_id)
);

create table number_rests (
  phone_number_id uuid not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  reason text not null,
  detail text,
  campaign_id uuid,
  constraint number_rests_check CHECK ((until >= since)),
  constraint number_rests_phone_number_id_fkey FOREIGN KEY (phone_number_id) REFERENCES phone_numbers(id) ON DELETE CASCADE,
  constraint number_rests_pkey PRIMARY KEY (phone_number_id),
  constraint number_rests_reason_check CHECK ((reason = ANY (ARRAY['user'::text, 'answer_rate'::text])))
);

create table part_days (
  day date not null,
  part text not null,
  rang integer not null default 0,
  answered integer not null default 0,
  constraint part_days_part_check CHECK ((part = ANY (ARRAY['morning'::text, 'midday'::text, 'afternoon'::text, 'evening'::text]))),
  constraint part_days_pkey PRIMARY KEY (day, part)
);

create table phone_numbers (
  id uuid not null,
  number text not null,
  label text not null,
  carrier text not null,
  carrier_config jsonb not null,
  inbound_agent_id uuid,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  max_calls_per_day integer,
  min_seconds_between_calls integer,
  constraint phone_numbers_carrier_check CHECK ((carrier = ANY (ARRAY['lab'::text, 'sip'::text, 'telnyx'::text, 'twilio'::text]))),
  constraint phone_numbers_inbound_agent_id_fkey FOREIGN KEY (inbound_agent_id) REFERENCES agents(id) ON DELETE RESTRICT,
  constraint phone_numbers_max_calls_per_day_check CHECK ((max_calls_per_day > 0)),
  constraint phone_numbers_min_seconds_between_calls_check CHECK (((min_seconds_between_calls >= 1) AND (min_seconds_between_calls <= 86400))),
  constraint phone_numbers_number_key UNIQUE (number),
  constraint phone_numbers_pkey PRIMARY KEY (id)
);

create table playbooks (
  id uuid not null,
  name text not null,
  display_name text not null,
  description text not null,
  prompt text not null,
  tool_names text[] not null,
  category text not null,
  is_default boolean not null default false,
  modified_from_default boolean not null default false,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint playbooks_name_key UNIQUE (name),
  constraint playbooks_pkey PRIMARY KEY (id)
);

create table receipt_seals (
  number bigint not null,
  first_seq bigint not null,
  count integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  sealed_at timestamp with time zone not null,
  previous bytea not null,
  root bytea not null,
  leaves bytea,
  hash bytea not null,
  constraint receipt_seals_count_check CHECK ((count > 0)),
  constraint receipt_seals_first_seq_key UNIQUE (first_seq),
  constraint receipt_seals_hash_check CHECK ((octet_length(hash) = 32)),
  constraint receipt_seals_hash_key UNIQUE (hash),
  constraint receipt_seals_pkey PRIMARY KEY (number),
  constraint receipt_seals_previous_check CHECK ((octet_length(previous) = 32)),
  constraint receipt_seals_root_check CHECK ((octet_length(root) = 32))
);

create table receipts (
  seq bigint not null,
  call_id uuid not null,
  nonce bytea,
  constraint receipts_call_id_key UNIQUE (call_id),
  constraint receipts_nonce_check CHECK ((octet_length(nonce) = 16)),
  constraint receipts_pkey PRIMARY KEY (seq)
);

create table recordings (
  id uuid not null,
  call_id uuid,
  host text not null,
  started_at timestamp with time zone not null default now(),
  pauses jsonb not null default '[]'::jsonb,
  stored_at timestamp with time zone,
  detached_at timestamp with time zone,
  wants_pause boolean,
  constraint recordings_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE SET NULL,
  constraint recordings_call_id_key UNIQUE (call_id),
  constraint recordings_pkey PRIMARY KEY (id)
);

create table retention (
  is_only_row boolean not null default true,
  swept_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  words_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint retention_is_only_row_check CHECK (is_only_row),
  constraint retention_pkey PRIMARY KEY (is_only_row)
);

create table rule_contents (
  digest text not null,
  packs jsonb not null,
  constraint rule_contents_pkey PRIMARY KEY (digest)
);

create table scenario_runs (
  id uuid not null,
  agent_id uuid not null,
  agent_version integer not null,
  scenarios jsonb not null,
  status text not null default 'running'::text,
  results jsonb not null default '[]'::jsonb,
  passed integer not null default 0,
  failed integer not null default 0,
  created_by jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  deadline timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint scenario_runs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE,
  constraint scenario_runs_pkey PRIMARY KEY (id),
  constraint scenario_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'interrupted'::text])))
);

create table schema_functions (
  name text not null,
  digest text not null,
  replaced_at timestamp with time zone not null default now(),
  constraint schema_functions_pkey PRIMARY KEY (name)
);

create table schema_migrations (
  migration_id integer not null,
  created_at timestamp with time zone not null default now(),
  name text not null,
  constraint schema_migrations_pkey PRIMARY KEY (migration_id)
);

create table subject_suppressions (
  phone_number text not null,
  subject text not null,
  subject_key text not null generated always as (lower(subject)) stored,
  source text not null,
  call_id uuid,
  reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone,
  constraint subject_suppressions_pkey PRIMARY KEY (phone_number, subject_key),
  constraint subject_suppressions_source_check CHECK ((source = ANY (ARRAY['api'::text, 'import'::text, 'call'::text])))
);

create table suppressions (
  phone_number text not null,
  source text not null,
  call_id uuid,
  reason text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint suppressions_pkey PRIMARY KEY (phone_number),
  constraint suppressions_source_check CHECK ((source = ANY (ARRAY['api'::text, 'import'::text, 'call'::text])))
);

create table tool_requests (
  id uuid not null,
  call_id uuid not null,
  node_id uuid not null,
  tool_name text not null,
  arguments jsonb not null,
  is_repeatable boolean not null,
  attempts integer not null default 1,
  began_at timestamp with time zone not null default clock_timestamp(),
  due_at timestamp with time zone not null default clock_timestamp(),
  answer jsonb,
  duration_ms integer,
  constraint tool_requests_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls(id) ON DELETE CASCADE,
  constraint tool_requests_check CHECK (((duration_ms IS NULL) = (answer IS NULL))),
  constraint tool_requests_pkey PRIMARY KEY (id)
);

create table tools (
  id uuid not null,
  name text not null,
  display_name text not null,
  category text not null,
  description text not null,
  schema json not null,
  implementation_type text not null,
  implementation_config jsonb not null,
  implementation_code text,
  tags text[] not null,
  is_default boolean not null default false,
  modified_from_default boolean not null default false,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint tools_implementation_type_check CHECK ((implementation_type = ANY (ARRAY['python'::text, 'http'::text]))),
  constraint tools_name_key UNIQUE (name),
  constraint tools_pkey PRIMARY KEY (id)
);

create table webhook_deliveries (
  id uuid not null,
  webhook_id uuid not null,
  seq bigint not null,
  event_type text not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  series_attempts integer not null default 0,
  series_began_at timestamp with time zone,
  next_attempt_at timestamp with time zone default clock_timestamp(),
  last_attempt_at timestamp with time zone,
  last_status_code integer,
  last_error text,
  last_duration_ms integer,
  response_excerpt text,
  attempt_log jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint webhook_deliveries_check CHECK (((next_attempt_at IS NOT NULL) = (status = 'pending'::text))),
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_deliveries_webhook_id_seq_key UNIQUE (webhook_id, seq)
);

create table webhooks (
  id uuid not null,
  url text not null,
  description text not null,
  events text[] not null,
  enabled boolean not null,
  disabled_reason text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  fanned_out_to bigint not null,
  failing boolean not null default false,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint webhooks_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = 'gone'::text)),
  constraint webhooks_pkey PRIMARY KEY (id)
);

create table widget_keys (
  id uuid not null,
  name text not null,
  kind text not null,
  agent_id uuid not null,
  origins text[] not null,
  theme jsonb not null,
  greeting text,
  secret_hash bytea not null,
  hint text not null,
  created_at timestamp with time zone not null default now(),
  public_key text,
  constraint widget_keys_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE RESTRICT,
  constraint widget_keys_kind_check CHECK ((kind = ANY (ARRAY['public'::text, 'secret'::text]))),
  constraint widget_keys_pkey PRIMARY KEY (id),
  constraint widget_keys_secret_hash_key UNIQUE (secret_hash),
  constraint widget_keys_secret_stays_hashed CHECK (((kind = 'public'::text) OR (public_key IS NULL)))
);

-- Indexes

CREATE INDEX agent_faqs_by_faq ON public.agent_faqs USING btree (faq_id);
CREATE INDEX agent_playbooks_by_playbook ON public.agent_playbooks USING btree (playbook_id);
CREATE INDEX agent_tools_by_tool ON public.agent_tools USING btree (tool_id);
CREATE INDEX agents_newest ON public.agents USING btree (created_at DESC, id DESC);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (created_at DESC, id DESC);
CREATE INDEX audit_entries_newest ON public.audit_entries USING btree (at DESC, id DESC);
CREATE INDEX audit_entries_of_actor ON public.audit_entries USING btree (actor_id, at DESC, id DESC);
CREATE INDEX audit_entries_of_object ON public.audit_entries USING btree (object_id, at DESC, id DESC);
CREATE INDEX call_listeners_call_id_idx ON public.call_listeners USING btree (call_id);
CREATE INDEX call_notes_call_id_idx ON public.call_notes USING btree (call_id);
CREATE INDEX call_takeovers_call_id_idx ON public.call_takeovers USING btree (call_id);
CREATE INDEX calls_newest ON public.calls USING btree (started_at, id);
CREATE INDEX calls_of_campaign ON public.calls USING btree (campaign_id, started_at, id) WHERE (campaign_id IS NOT NULL);
CREATE INDEX calls_of_people ON public.calls USING btree ((
CASE direction
    WHEN 'outbound'::text THEN to_number
    ELSE from_number
END)) WHERE (contact_id IS NULL);
CREATE INDEX calls_of_transfers ON public.calls USING btree (transfer_of) WHERE (transfer_of IS NOT NULL);
CREATE UNIQUE INDEX calls_one_live_a_contact ON public.live_calls USING btree (contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX calls_to_contacts ON public.calls USING btree (to_number, started_at) WHERE (contact_id IS NOT NULL);
CREATE INDEX campaigns_alive ON public.campaigns USING btree (status) WHERE (status = ANY (ARRAY['draft'::text, 'running'::text, 'paused'::text]));
CREATE INDEX campaigns_newest ON public.campaigns USING btree (created_at DESC, id DESC);
CREATE INDEX consents_by_age ON public.consents USING btree (GREATEST(at, created_at, used_at));
CREATE UNIQUE INDEX consents_external_id ON public.consents USING btree (external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX consents_newest ON public.consents USING btree (created_at DESC, id DESC);
CREATE UNIQUE INDEX consents_of_call ON public.consents USING btree (call_id, phone_number) WHERE (kind = 'revocation'::text);
CREATE INDEX consents_of_number ON public.consents USING btree (phone_number, at DESC);
CREATE INDEX contacts_additional_numbers ON public.contacts USING gin (additional_numbers) WHERE (additional_numbers IS NOT NULL);
CREATE INDEX contacts_called_back ON public.contacts USING btree (campaign_id, due_at, "position") WHERE (callback_at IS NOT NULL);
CREATE UNIQUE INDEX contacts_external_id ON public.contacts USING btree (campaign_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX contacts_of_people ON public.contacts USING btree (phone_number, campaign_id);
CREATE INDEX contacts_preferred ON public.contacts USING btree (campaign_id, priority DESC, "position") WHERE ((priority > 0) AND isfinite(due_at) AND (due_at <= '1970-01-01 00:00:00+00'::timestamp with time zone));
CREATE INDEX contacts_preferred_again ON public.contacts USING btree (campaign_id, priority DESC, due_at, "position") WHERE ((due_at > '1970-01-01 00:00:00+00'::timestamp with time zone) AND (priority > 0));
CREATE INDEX contacts_waiting ON public.contacts USING btree (campaign_id, due_at, "position") WHERE (due_at > '-infinity'::timestamp with time zone);
CREATE INDEX contacts_with_additional_numbers ON public.contacts USING btree (campaign_id) WHERE (additional_numbers IS NOT NULL);
CREATE INDEX dial_records_unsealed ON public.dial_records USING btree (id) WHERE (NOT sealed);
CREATE UNIQUE INDEX exports_one_at_a_time ON public.exports USING btree ((true)) WHERE (status = 'running'::text);
CREATE INDEX extractions_due ON public.extractions USING btree (due_at) WHERE (state = 'pending'::text);
CREATE INDEX faq_vocabulary_alike ON public.faq_vocabulary USING gin (word gin_trgm_ops);
CREATE INDEX faq_words_by_faq ON public.faq_words USING btree (faq_id);
CREATE INDEX faqs_newest ON public.faqs USING btree (created_at DESC, id DESC);
CREATE INDEX faqs_search ON public.faqs USING gin (search);
CREATE INDEX held_lines_of_calls ON public.held_lines USING btree (call_id);
CREATE INDEX idempotency_by_age ON public.idempotency USING btree (created_at);
CREATE INDEX phone_numbers_by_agent ON public.phone_numbers USING btree (inbound_agent_id) WHERE (inbound_agent_id IS NOT NULL);
CREATE INDEX phone_numbers_newest ON public.phone_numbers USING btree (created_at DESC, id DESC);
CREATE INDEX playbooks_newest ON public.playbooks USING btree (created_at DESC, id DESC);
CREATE INDEX receipt_seals_by_time ON public.receipt_seals USING btree (last_at);
CREATE INDEX recordings_id_idx ON public.recordings USING btree (id) WHERE (call_id IS NULL);
CREATE INDEX recordings_started_at_idx ON public.recordings USING btree (started_at);
CREATE INDEX scenario_runs_of_agent ON public.scenario_runs USING btree (agent_id, id DESC);
CREATE INDEX subject_suppressions_newest ON public.subject_suppressions USING btree (created_at DESC, phone_number);
CREATE INDEX subject_suppressions_of_calls ON public.subject_suppressions USING btree (call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX suppressions_newest ON public.suppressions USING btree (created_at DESC, phone_number);
CREATE INDEX suppressions_of_calls ON public.suppressions USING btree (call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX tool_requests_of_call ON public.tool_requests USING btree (call_id);
CREATE INDEX tools_newest ON public.tools USING btree (created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_by_status ON public.webhook_deliveries USING btree (webhook_id, status, seq);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at, seq) WHERE (status = 'pending'::text);
CREATE INDEX webhooks_newest ON public.webhooks USING btree (created_at DESC, id DESC);
CREATE INDEX widget_keys_by_agent ON public.widget_keys USING btree (agent_id);
CREATE INDEX widget_keys_newest ON public.widget_keys USING btree (created_at DESC, id DESC);

-- Triggers

CREATE TRIGGER agent_version_of_changed AFTER UPDATE ON public.agent_faqs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_gone AFTER DELETE ON public.agent_faqs REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_new AFTER INSERT ON public.agent_faqs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_changed AFTER UPDATE ON public.agent_playbooks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_gone AFTER DELETE ON public.agent_playbooks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_new AFTER INSERT ON public.agent_playbooks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_changed AFTER UPDATE ON public.agent_tools REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_gone AFTER DELETE ON public.agent_tools REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_new AFTER INSERT ON public.agent_tools REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_agent AFTER INSERT ON public.agents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER agent_version_of_change AFTER UPDATE ON public.agents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION agent_changed();
CREATE TRIGGER keep_audit BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
CREATE TRIGGER calling_window_changed AFTER UPDATE OF calling_window ON public.budget FOR EACH ROW WHEN ((old.calling_window IS DISTINCT FROM new.calling_window)) EXECUTE FUNCTION calling_window_changed();
CREATE TRIGGER calls_begin AFTER INSERT ON public.calls REFERENCING NEW TABLE AS new_calls FOR EACH STATEMENT EXECUTE FUNCTION calls_begin();
CREATE TRIGGER calls_disposed AFTER UPDATE ON public.calls FOR EACH ROW WHEN ((new.disposition IS DISTINCT FROM old.disposition)) EXECUTE FUNCTION calls_disposed();
CREATE TRIGGER calls_end AFTER UPDATE ON public.calls REFERENCING NEW TABLE AS new_calls FOR EACH STATEMENT EXECUTE FUNCTION calls_end();
CREATE TRIGGER calls_gone AFTER DELETE ON public.calls REFERENCING OLD TABLE AS old_calls FOR EACH STATEMENT EXECUTE FUNCTION calls_gone();
CREATE TRIGGER campaigns_gone AFTER DELETE ON public.campaigns REFERENCING OLD TABLE AS old_campaigns FOR EACH STATEMENT EXECUTE FUNCTION campaigns_gone();
CREATE CONSTRAINT TRIGGER events_of_campaigns AFTER UPDATE OF status ON public.campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (new.status <> 'draft'::text))) EXECUTE FUNCTION campaigns_told();
CREATE TRIGGER keep_consents BEFORE DELETE OR UPDATE ON public.consents FOR EACH ROW EXECUTE FUNCTION keep_consents();
CREATE TRIGGER contacts_disposed BEFORE UPDATE ON public.contacts FOR EACH ROW WHEN (((new.final_call_id IS NOT NULL) AND (new.status = 'pending'::text))) EXECUTE FUNCTION contacts_disposed();
CREATE TRIGGER contacts_imported AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS new_contacts FOR EACH STATEMENT EXECUTE FUNCTION contacts_counted();
CREATE TRIGGER contacts_moved AFTER UPDATE ON public.contacts REFERENCING OLD TABLE AS old_contacts NEW TABLE AS new_contacts FOR EACH STATEMENT EXECUTE FUNCTION contacts_counted();
CREATE TRIGGER contacts_withdrawn BEFORE UPDATE ON public.contacts FOR EACH ROW WHEN (((new.withdrawn_at IS NOT NULL) AND (new.status = 'pending'::text))) EXECUTE FUNCTION contacts_withdrawn();
CREATE TRIGGER events_of_contacts AFTER UPDATE ON public.contacts REFERENCING OLD TABLE AS old_contacts NEW TABLE AS new_contacts FOR EACH STATEMENT EXECUTE FUNCTION contacts_told();
CREATE TRIGGER keep_receipts BEFORE UPDATE ON public.dial_records FOR EACH ROW EXECUTE FUNCTION keep_receipts();
CREATE TRIGGER faqs_embedding AFTER UPDATE OF question, answer ON public.faqs FOR EACH ROW WHEN (((old.question <> new.question) OR (old.answer <> new.answer))) EXECUTE FUNCTION forget_faq_embedding();
CREATE TRIGGER faqs_words AFTER INSERT OR UPDATE OF question, answer ON public.faqs FOR EACH ROW EXECUTE FUNCTION index_faq_words();
CREATE TRIGGER agent_version_of_playbook AFTER UPDATE ON public.playbooks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();
CREATE TRIGGER keep_receipts BEFORE DELETE OR UPDATE ON public.receipt_seals FOR EACH ROW EXECUTE FUNCTION keep_receipts();
CREATE TRIGGER keep_receipts BEFORE DELETE OR UPDATE ON public.receipts FOR EACH ROW EXECUTE FUNCTION keep_receipts();
CREATE TRIGGER keep_receipts BEFORE DELETE OR UPDATE ON public.rule_contents FOR EACH ROW EXECUTE FUNCTION keep_receipts();
CREATE TRIGGER revoke_subject_by_opt_out AFTER INSERT OR UPDATE OF source, call_id ON public.subject_suppressions FOR EACH ROW WHEN (((new.source = 'call'::text) AND (new.call_id IS NOT NULL))) EXECUTE FUNCTION revoke_subject_by_opt_out();
CREATE TRIGGER revoke_by_opt_out AFTER INSERT OR UPDATE OF source, call_id ON public.suppressions FOR EACH ROW WHEN (((new.source = 'call'::text) AND (new.call_id IS NOT NULL))) EXECUTE FUNCTION revoke_by_opt_out();
CREATE TRIGGER agent_version_of_tool AFTER UPDATE ON public.tools REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_changed();

-- Functions (their bodies: functions/<name>.sql)

create function add_costs(total jsonb, more jsonb) returns jsonb language sql immutable;
create function agent_changed() returns trigger language plpgsql volatile;
create function agent_content(agent uuid) returns json language sql stable;
create function agent_versions_keep(agent_ids uuid[], raised boolean DEFAULT false, source integer DEFAULT NULL::integer) returns void language plpgsql volatile;
create function calling_window_changed() returns trigger language plpgsql volatile;
create function calls_begin() returns trigger language plpgsql volatile;
create function calls_begun_after(moment timestamp with time zone, campaign uuid DEFAULT NULL::uuid) returns integer language sql stable;
create function calls_disposed() returns trigger language plpgsql volatile;
create function calls_end() returns trigger language plpgsql volatile set enable_seqscan=off;
create function calls_gone() returns trigger language plpgsql volatile;
create function calls_of_today(budget budget, moment timestamp with time zone) returns integer language sql stable;
create function campaign_counts(progress campaign_progress) returns jsonb language sql stable;
create function campaigns_gone() returns trigger language plpgsql volatile;
create function campaigns_told() returns trigger language plpgsql volatile;
create function contacts_counted() returns trigger language plpgsql volatile;
create function contacts_disposed() returns trigger language plpgsql volatile;
create function contacts_told() returns trigger language plpgsql volatile set enable_nestloop=off;
create function contacts_withdrawn() returns trigger language plpgsql volatile;
create function disposition_after(present jsonb, chosen jsonb) returns jsonb language sql immutable;
create function events_append(type text, subjects uuid[], data jsonb DEFAULT NULL::jsonb) returns void language plpgsql volatile;
create function events_between(after bigint, last bigint) returns TABLE(seq bigint, type text, subject_id uuid, created_at timestamp with time zone, data jsonb) language sql stable;
create function faq_words_like(asked text) returns TABLE(word text, likeness real) language plpgsql stable;
create function forget_faq_embedding() returns trigger language plpgsql volatile;
create function hold_lines(begun uuid[], campaigns uuid[]) returns void language plpgsql volatile set enable_seqscan=off;
create function index_faq_words() returns trigger language plpgsql volatile;
create function is_day_of(budget budget, moment timestamp with time zone) returns boolean language sql stable;
create function keep_audit() returns trigger language plpgsql volatile;
create function keep_consents() returns trigger language plpgsql volatile;
create function keep_receipts() returns trigger language plpgsql volatile;
create function playbook_definition(playbook playbooks) returns json language sql stable;
create function preferred_contacts(campaign uuid, moment timestamp with time zone, at_most integer) returns SETOF contacts language sql stable set enable_sort=off set enable_bitmapscan=off;
create function prune_audit(days integer, most integer) returns integer language sql volatile set search_path=pg_catalog, public;
create function prune_consents(days integer, most integer) returns integer language sql volatile set search_path=pg_catalog, public;
create function prune_receipts(most integer) returns integer language sql volatile set search_path=pg_catalog, public;
create function refuse_if_closed(budget budget) returns void language plpgsql stable;
create function result_fields(result jsonb, extracted jsonb, transcript jsonb) returns jsonb language sql immutable;
create function revoke_by_opt_out() returns trigger language plpgsql volatile;
create function revoke_subject_by_opt_out() returns trigger language plpgsql volatile;
create function running_slots(without uuid DEFAULT NULL::uuid) returns integer language sql stable;
create function sum_costs(costs jsonb[]) returns jsonb language sql immutable;
create function tool_definition(tool tools) returns json language sql stable;
create function uuid_at(moment timestamp with time zone) returns uuid language sql volatile;
