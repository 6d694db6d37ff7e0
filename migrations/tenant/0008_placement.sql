-- Each process that takes the campaign over raises it; a dial transaction names the one under which it was begun, and
-- one that is out of date writes nothing.
alter table campaigns add column epoch integer not null default 0;
