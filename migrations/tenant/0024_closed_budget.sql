-- Since when the account is being deleted: no call and no campaign begins any more. Null otherwise.
alter table budget add column closed_at timestamptz;

-- Functions 6d08f2dfe09c: calls_begin asks refuse_if_closed, which is new.
