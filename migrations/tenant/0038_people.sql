-- Who is called first, and when not (decision 0085).
--
-- A contact with a priority that was never looked at has `due_at` 1970-01-01, so that indexes of their own find it and
-- the contacts without a priority stay out of them. The release before dials such a contact as one that is due.
alter table contacts
  add column priority smallint not null default 0,
  add constraint contacts_priority_check check (priority between 0 and 100);
create index contacts_preferred on contacts (campaign_id, priority desc, position)
  where due_at = '1970-01-01T00:00:00Z';
create index contacts_preferred_again on contacts (campaign_id, priority desc, due_at, position)
  where due_at > '1970-01-01T00:00:00Z' and priority > 0;
