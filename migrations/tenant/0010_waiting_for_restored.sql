-- A campaign of an account that was restored from a backup waits for an administrator.
alter table campaigns
  drop constraint campaigns_waiting_for_check,
  add constraint campaigns_waiting_for_check check (waiting_for in (
    'concurrent_cap', 'per_minute_cap', 'daily_cap', 'calling_window', 'budget', 'retry_delay', 'carrier', 'restored'));
