-- For how many days an account's data is kept; null for the default of the installation, or for ever.
alter table accounts
  add column transcript_days integer check (transcript_days > 0),
  add column recording_days integer check (recording_days > 0),
  add column call_days integer check (call_days > 0),
  add column event_days integer check (event_days > 0);
