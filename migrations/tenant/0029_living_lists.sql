-- Contacts that are added, changed and withdrawn through the API while their campaign runs (decision 0074).
-- Functions 8872a59589ea
alter table contacts
  -- The client's own name of the contact. A batch that is sent again finds its contacts by it.
  add column external_id text,
  -- When the contact was withdrawn. No attempt begins after that time; a call in progress continues.
  add column withdrawn_at timestamptz,
  drop constraint contacts_skip_reason_check,
  add constraint contacts_skip_reason_check
    check (skip_reason in ('stopped', 'do_not_call', 'outside_window', 'erased', 'withdrawn'));

\ir functions/contacts_withdrawn.sql
create trigger contacts_withdrawn before update on contacts for each row
  when (new.withdrawn_at is not null and new.status = 'pending') execute function contacts_withdrawn();

create unique index contacts_external_id on contacts (campaign_id, external_id) where external_id is not null;

-- Finds a person's contacts in all campaigns, and a number in one campaign, however many campaigns have called it.
drop index contacts_of_people;
create index contacts_of_people on contacts (phone_number, campaign_id);
