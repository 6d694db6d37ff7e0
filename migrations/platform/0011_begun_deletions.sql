-- The deletion of the account has begun, and it is not decided yet: its database may turn out to have a live call. Any process
-- decides it. Null once it is refused; once it is decided, deleting_at says so.
alter table accounts add column deletion_began_at timestamptz;
