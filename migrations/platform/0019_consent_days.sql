-- For how many days a consent without an end of its own counts (decision 0090); null for no end.
alter table accounts add column consent_days integer check (consent_days between 1 and 3650);
