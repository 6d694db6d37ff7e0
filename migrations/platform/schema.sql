-- Tables

create table account_moves (
  account_id uuid not null,
  from_server text,
  to_server text,
  step text not null,
  began_at timestamp with time zone not null default clock_timestamp(),
  away_at timestamp with time zone,
  constraint account_moves_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_moves_from_server_fkey FOREIGN KEY (from_server) REFERENCES database_servers(name),
  constraint account_moves_pkey PRIMARY KEY (account_id),
  constraint account_moves_step_check CHECK ((step = ANY (ARRAY['preparing'::text, 'draining'::text, 'away'::text, 'switched'::text]))),
  constraint account_moves_to_server_fkey FOREIGN KEY (to_server) REFERENCES database_servers(name)
);

create table accounts (
  id uuid not null,
  slug text not null,
  name text not null,
  database text not null,
  data_key bytea not null,
  concurrent_max integer not null,
  calls_per_minute integer not null,
  calls_per_day integer not null,
  time_zone text not null,
  calling_window jsonb,
  discoverable boolean not null default false,
  status text not null default 'active'::text,
  schema_version integer not null,
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  database_oid oid,
  deleting_at timestamp with time zone,
  transcript_days integer,
  recording_days integer,
  call_days integer,
  event_days integer,
  serves_from integer not null default 0,
  audit_days integer,
  deletion_began_at timestamp with time zone,
  server text,
  moving text,
  daily_spend_cap numeric(15,6),
  consent_days integer,
  constraint accounts_audit_days_check CHECK ((audit_days >= 30)),
  constraint accounts_call_days_check CHECK ((call_days > 0)),
  constraint accounts_calls_per_day_check CHECK ((calls_per_day > 0)),
  constraint accounts_calls_per_minute_check CHECK ((calls_per_minute > 0)),
  constraint accounts_concurrent_max_check CHECK ((concurrent_max > 0)),
  constraint accounts_consent_days_check CHECK (((consent_days >= 1) AND (consent_days <= 3650))),
  constraint accounts_daily_spend_cap_check CHECK ((daily_spend_cap >= (0)::numeric)),
  constraint accounts_database_key UNIQUE (database),
  constraint accounts_event_days_check CHECK ((event_days > 0)),
  constraint accounts_moving_check CHECK ((moving = ANY (ARRAY['draining'::text, 'away'::text]))),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_recording_days_check CHECK ((recording_days > 0)),
  constraint accounts_server_fkey FOREIGN KEY (server) REFERENCES database_servers(name),
  constraint accounts_slug_check CHECK (((slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text) AND (slug <> 'platform-admin'::text))),
  constraint accounts_slug_key UNIQUE (slug),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'restored'::text]))),
  constraint accounts_transcript_days_check CHECK ((transcript_days > 0))
);

create table audit_entries (
  id uuid not null,
  at timestamp with time zone not null default clock_timestamp(),
  account text,
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

create table database_servers (
  name text not null,
  url bytea not null,
  system_identifier text,
  timeline text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint database_servers_name_check CHECK (((name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text) AND (name <> 'platform'::text))),
  constraint database_servers_pkey PRIMARY KEY (name)
);

create table deleted_accounts (
  id uuid not null,
  deleted_at timestamp with time zone not null default now(),
  constraint deleted_accounts_pkey PRIMARY KEY (id)
);

create table dialling (
  account_id uuid not null,
  campaign_id uuid not null,
  due_at timestamp with time zone not null,
  node_id uuid,
  constraint dialling_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint dialling_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id) ON DELETE SET NULL,
  constraint dialling_pkey PRIMARY KEY (account_id, campaign_id)
);

create table hang_ups (
  call_id uuid not null,
  node_id uuid not null,
  constraint hang_ups_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id) ON DELETE CASCADE,
  constraint hang_ups_pkey PRIMARY KEY (call_id)
);

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

create table inbound_numbers (
  account_id uuid not null,
  phone_number_id uuid not null,
  number text not null,
  server text not null,
  addresses text[] not null,
  claimed_at timestamp with time zone not null default clock_timestamp(),
  changed_at timestamp with time zone not null default clock_timestamp(),
  registers boolean not null default false,
  registrar text,
  held_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  registration jsonb,
  constraint inbound_numbers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint inbound_numbers_pkey PRIMARY KEY (account_id, phone_number_id)
);

create table installation (
  is_only_row boolean not null default true,
  system_identifier text not null,
  timeline text not null,
  data_folder text,
  constraint installation_is_only_row_check CHECK (is_only_row),
  constraint installation_pkey PRIMARY KEY (is_only_row)
);

create table memberships (
  id uuid not null,
  account_id uuid not null,
  issuer text,
  subject text,
  email text,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint memberships_account_id_issuer_subject_email_key UNIQUE NULLS NOT DISTINCT (account_id, issuer, subject, email),
  constraint memberships_check CHECK (((issuer IS NULL) = (subject IS NULL))),
  constraint memberships_check1 CHECK (((email IS NULL) <> (subject IS NULL))),
  constraint memberships_pkey PRIMARY KEY (id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);

create table node_accounts (
  node_id uuid not null,
  account_id uuid not null,
  noted_at timestamp with time zone not null default clock_timestamp(),
  constraint node_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint node_accounts_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id) ON DELETE CASCADE,
  constraint node_accounts_pkey PRIMARY KEY (node_id, account_id)
);

create table nodes (
  id uuid not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  dials boolean not null default false,
  encryption_keys text[],
  tenant_schema integer,
  is_runner boolean not null default false,
  platform_schema integer,
  calls integer not null default 0,
  calls_max integer,
  cell text,
  constraint nodes_pkey PRIMARY KEY (id)
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

create table shards (
  id text not null,
  node_id uuid not null,
  constraint shards_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id) ON DELETE CASCADE,
  constraint shards_pkey PRIMARY KEY (id)
);

create table unfinished_databases (
  database text not null,
  directory_oid oid not null,
  began_at timestamp with time zone not null default clock_timestamp(),
  server text,
  constraint unfinished_databases_pkey PRIMARY KEY (database),
  constraint unfinished_databases_server_fkey FOREIGN KEY (server) REFERENCES database_servers(name)
);

create table webhook_accounts (
  account_id uuid not null,
  look_at timestamp with time zone not null,
  constraint webhook_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_accounts_pkey PRIMARY KEY (account_id)
);

-- Indexes

CREATE INDEX accounts_by_cell ON public.accounts USING btree (COALESCE(server, 'platform'::text));
CREATE INDEX accounts_by_server ON public.accounts USING btree (server) WHERE (server IS NOT NULL);
CREATE INDEX accounts_in_deletion ON public.accounts USING btree (id) WHERE ((deleting_at IS NOT NULL) OR (deletion_began_at IS NOT NULL));
CREATE INDEX accounts_newest ON public.accounts USING btree (created_at DESC, id DESC);
CREATE INDEX audit_entries_newest ON public.audit_entries USING btree (at DESC, id DESC);
CREATE INDEX audit_entries_of_account ON public.audit_entries USING btree (account, at DESC, id DESC);
CREATE INDEX dialling_by_node ON public.dialling USING btree (node_id);
CREATE INDEX dialling_due ON public.dialling USING btree (due_at);
CREATE INDEX hang_ups_by_node ON public.hang_ups USING btree (node_id);
CREATE INDEX inbound_numbers_by_number ON public.inbound_numbers USING btree (number);
CREATE INDEX inbound_numbers_changed ON public.inbound_numbers USING btree (changed_at);
CREATE INDEX inbound_numbers_registered ON public.inbound_numbers USING btree (account_id) WHERE registers;
CREATE INDEX memberships_by_email ON public.memberships USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX memberships_by_subject ON public.memberships USING btree (issuer, subject) WHERE (subject IS NOT NULL);
CREATE INDEX node_accounts_by_account ON public.node_accounts USING btree (account_id);
CREATE INDEX shards_by_node ON public.shards USING btree (node_id);
CREATE INDEX webhook_accounts_due ON public.webhook_accounts USING btree (look_at);

-- Triggers

CREATE TRIGGER accounts_on_servers_stay BEFORE DELETE ON public.accounts FOR EACH ROW WHEN ((old.server IS NOT NULL)) EXECUTE FUNCTION accounts_on_servers_stay();

-- Functions (their bodies: functions/<name>.sql)

create function accounts_on_servers_stay() returns trigger language plpgsql volatile;
