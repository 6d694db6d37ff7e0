-- A process finds the accounts of its cell, and those whose deletion is not finished, without reading the others
-- (decision 0075). The expression is that of `cellOfRow` (src/tenancy/Cell.ts).
create index accounts_by_cell on accounts ((coalesce(server, 'platform')));
create index accounts_in_deletion on accounts (id) where deleting_at is not null or deletion_began_at is not null;
