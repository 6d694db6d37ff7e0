-- Campaigns choose rule packs: rules that come from law, as data (decision 0076). The values of the other additions of
-- this release stand in the same checks, so that the order of their migrations does not matter.
-- Functions cefb272889d3
alter table campaigns
  -- The ids of the packs, as the client chose them.
  add column rule_packs text[] not null default '{}',
  -- The checked rules of the packs with their versions, frozen when the campaign starts.
  add column rules jsonb not null default '[]',
  -- What the calls are about; null if that is unknown. Caps on attempts count by it.
  add column subject text,
  drop constraint campaigns_waiting_for_check,
  add constraint campaigns_waiting_for_check check (waiting_for in (
    'concurrent_cap', 'per_minute_cap', 'daily_cap', 'spend_cap', 'calling_window', 'rule', 'budget', 'retry_delay',
    'carrier', 'restored'));
alter table contacts
  drop constraint contacts_skip_reason_check,
  add constraint contacts_skip_reason_check check (skip_reason in (
    'stopped', 'do_not_call', 'no_consent', 'outside_window', 'rule', 'erased', 'withdrawn')),
  drop constraint contacts_waits_for_check,
  add constraint contacts_waits_for_check check (waits_for in ('retry_delay', 'calling_window', 'rule'));
alter table decisions
  drop constraint decisions_reason_check,
  add constraint decisions_reason_check check (reason in (
    'calling_window', 'do_not_call', 'no_consent', 'outside_window', 'rule'));

\ir functions/calling_window_changed.sql
