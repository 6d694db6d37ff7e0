-- The do-not-call entries of erased people: the number as a digest with a key that this database does not have.
create table erased_suppressions (
  digest bytea primary key,
  source text not null,
  created_at timestamptz not null,
  expires_at timestamptz
);

-- Where a person's data is found by the number. Calls to contacts have calls_to_contacts.
create index contacts_of_people on contacts (phone_number);
create index calls_of_people on calls ((case direction when 'outbound' then to_number else from_number end))
  where contact_id is null;

alter table contacts
  drop constraint contacts_skip_reason_check,
  add constraint contacts_skip_reason_check
    check (skip_reason = any (array['stopped', 'do_not_call', 'outside_window', 'erased']));
