-- The cell of each process (decision 0068): the name of the PostgreSQL server whose accounts it serves. Null for a
-- process that serves all accounts, and for releases before this one.
alter table nodes add column cell text;
