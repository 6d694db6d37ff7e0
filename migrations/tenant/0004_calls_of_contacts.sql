-- Finds the contact whom a campaign called when that number calls back. Phone calls that come in are lines of their own in
-- live_calls: calls_begin and calls_end.
-- Functions 2838b1422529
create index calls_to_contacts on calls (to_number, started_at) where contact_id is not null;
