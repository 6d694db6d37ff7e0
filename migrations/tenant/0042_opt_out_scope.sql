-- Do-not-call entries for the campaigns of one subject (decision 0089). A table of their own: a process of the release before
-- adds entries for all campaigns with `on conflict (phone_number)`, and dials without looking at these.
-- Functions 5386042b6f44
create table subject_suppressions (
  phone_number text not null,
  subject text not null,
  -- What subjects are compared by.
  subject_key text not null generated always as (lower(subject)) stored,
  source text not null check (source in ('api', 'import', 'call')),
  call_id uuid,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  primary key (phone_number, subject_key)
);
-- A deleted call is found in the entries that an opt-out in it wrote.
create index subject_suppressions_of_calls on subject_suppressions (call_id) where call_id is not null;
create index subject_suppressions_newest on subject_suppressions (created_at desc, phone_number);

\ir functions/revoke_subject_by_opt_out.sql
create trigger revoke_subject_by_opt_out after insert or update of source, call_id on subject_suppressions for each row
  when (new.source = 'call' and new.call_id is not null) execute function revoke_subject_by_opt_out();

-- What a wish not to be called again covers that a person says in a call of the campaign.
alter table campaigns
  add column opt_out_scope text not null default 'account' check (opt_out_scope in ('account', 'subject'));
