-- For how many days a consent without an end of its own counts (decision 0090). Null: it has no end.
-- Functions d16354d8cd68
alter table budget add column consent_days integer check (consent_days between 1 and 3650);
