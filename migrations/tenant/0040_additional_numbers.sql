-- Several numbers of one person, who is never in two calls at once (decision 0087). The release before calls the first number
-- of a contact; the database refuses its call while another number of the person is in one.
-- Functions b6643cb481a0
alter table contacts
  -- In the order in which they are called, after phone_number. Null: the person has one number.
  add column additional_numbers text[]
    check (cardinality(additional_numbers) between 1 and 4 and array_position(additional_numbers, null) is null);
create index contacts_additional_numbers on contacts using gin (additional_numbers) where additional_numbers is not null;
create index contacts_with_additional_numbers on contacts (campaign_id) where additional_numbers is not null;

-- The numbers that cannot be called because another number of the same person is in a call.
create table held_lines (
  line text primary key,
  call_id uuid not null
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);
create index held_lines_of_calls on held_lines (call_id);

-- An opt-out in one call revokes the consents of all numbers of the person.
drop index consents_of_call;
create unique index consents_of_call on consents (call_id, phone_number) where kind = 'revocation';
-- A deleted call is found in the entries of all numbers that an opt-out in it concerned.
create index suppressions_of_calls on suppressions (call_id) where call_id is not null;
