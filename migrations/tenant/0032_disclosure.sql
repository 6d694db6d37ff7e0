-- What an agent says before anything else on every call, the key with which a called person asks not to be called again,
-- and what a call shows of both (decision 0078). Versions from before these columns have no such fields in their content.
-- Functions c90d9c89881e
alter table agents
  add column disclosure text not null default '',
  add column opt_out_key text check (opt_out_key ~ '^[0-9*#]$');

alter table calls
  add column disclosure jsonb check (jsonb_typeof(disclosure) = 'object'),
  add column opt_out jsonb check (jsonb_typeof(opt_out) = 'object');
