-- Caps on what campaigns spend (decision 0079). All amounts are exact, with millionths of the currency. A campaign that waits
-- for its cap has the waiting_for daily_cap with the waiting_detail spend_cap: the release before this one knows no other
-- values.
-- Functions 5793bad0afb0
alter table campaigns
  -- The most that the campaign may spend. Null: it has no cap.
  add column max_spend numeric(15, 6) check (max_spend >= 0);
alter table calls
  -- The most that the call may cost, which was reserved in the transaction that decided to dial it. Null without a cap.
  add column reserved numeric(15, 6) check (reserved >= 0),
  -- What counts as spent beyond `cost`: what is left of the reservation of a call whose process died before its cost was known.
  add column written_off numeric(15, 6) check (written_off >= 0);
alter table campaign_progress
  -- The sum of `reserved` of the campaign's live calls, and of `written_off` of its ended ones.
  add column reserved numeric(18, 6) not null default 0 check (reserved >= 0),
  add column written_off numeric(18, 6) not null default 0;
