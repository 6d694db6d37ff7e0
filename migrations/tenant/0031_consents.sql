-- The consent ledger (decision 0077): on what ground a number may be called, and when that was revoked. It is only added to.
-- Functions 0ec0219645ac
create table consents (
  id uuid primary key,
  kind text not null check (kind in ('consent', 'revocation')),
  -- Null once the person was erased.
  phone_number text,
  basis text check (basis in ('express_written', 'express', 'existing_relationship', 'legitimate_interest')),
  -- Null covers every subject, and every seller.
  subject text,
  seller text,
  channel text not null check (channel in ('automated_call', 'live_call', 'any_call')),
  text text,
  source text,
  external_id text,
  -- Not a foreign key: calls are deleted by other rules.
  call_id uuid,
  at timestamptz not null,
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  -- When a call was last begun on the ground of it.
  used_at timestamptz,
  check ((kind = 'consent') = (basis is not null)),
  check (kind = 'consent' or expires_at is null)
);
create index consents_of_number on consents (phone_number, at desc);
create index consents_newest on consents (created_at desc, id desc);
create index consents_by_age on consents (greatest(at, created_at, used_at));
create unique index consents_external_id on consents (external_id) where external_id is not null;
create unique index consents_of_call on consents (call_id) where kind = 'revocation';
revoke delete on consents from parley_tenant;

\ir functions/keep_consents.sql
create trigger keep_consents before update or delete on consents for each row execute function keep_consents();

\ir functions/prune_consents.sql

\ir functions/revoke_by_opt_out.sql
create trigger revoke_by_opt_out after insert or update of source, call_id on suppressions for each row
  when (new.source = 'call' and new.call_id is not null) execute function revoke_by_opt_out();

alter table campaigns add column required_consent jsonb check (jsonb_typeof(required_consent) = 'object');

alter table contacts
  drop constraint contacts_skip_reason_check,
  add constraint contacts_skip_reason_check
    check (skip_reason in ('stopped', 'do_not_call', 'outside_window', 'erased', 'withdrawn', 'no_consent', 'rule'));
alter table decisions
  drop constraint decisions_reason_check,
  add constraint decisions_reason_check
    check (reason in ('calling_window', 'do_not_call', 'outside_window', 'no_consent', 'rule'));
