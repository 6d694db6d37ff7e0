-- Since when the account is being deleted: no call and no campaign begins any more. Null otherwise.
alter table budget add column closed_at timestamptz;

-- Functions 2f9c0c3a1a2a: calls_begin asks refuse_if_closed, which is new; calls_gone frees the slots of live calls.
