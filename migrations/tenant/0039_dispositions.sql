-- What came of calls in the operator's own words (decision 0086). The release before neither writes nor counts dispositions.
-- Functions 33b44a8cdade
alter table agents
  add column dispositions jsonb not null default '[]' check (jsonb_typeof(dispositions) = 'array');
-- Whether a version has any, known without reading a long content while calls end.
alter table agent_contents add column has_dispositions boolean not null generated always as
  (coalesce(json_array_length(content -> 'agent' -> 'dispositions') > 0, false)) stored;

alter table calls add column disposition jsonb check (jsonb_typeof(disposition) = 'object');
alter table campaign_progress add column dispositions jsonb not null default '{}';
alter table contacts
  -- The call whose final disposition ends the contact.
  add column final_call_id uuid,
  drop constraint contacts_skip_reason_check,
  add constraint contacts_skip_reason_check check (skip_reason in (
    'stopped', 'do_not_call', 'outside_window', 'erased', 'withdrawn', 'no_consent', 'rule', 'final_disposition'));

\ir functions/disposition_after.sql
\ir functions/calls_disposed.sql
create trigger calls_disposed after update on calls for each row
  when (new.disposition is distinct from old.disposition) execute function calls_disposed();
\ir functions/contacts_disposed.sql
create trigger contacts_disposed before update on contacts for each row
  when (new.final_call_id is not null and new.status = 'pending') execute function contacts_disposed();

-- What people write about a call for each other.
create table call_notes (
  id uuid primary key,
  call_id uuid not null references calls (id) on delete cascade,
  -- A person or an API key, as in created_by of agent_versions.
  written_by jsonb not null,
  text text not null check (length(text) <= 4000),
  created_at timestamptz not null default clock_timestamp()
);
create index on call_notes (call_id);
