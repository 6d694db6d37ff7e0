-- How far the deletion of old data has come, and when it last ran.
create table retention (
  is_only_row boolean primary key default true check (is_only_row),
  swept_at timestamptz not null default '-infinity',
  -- Calls that began before this have no words any more.
  words_until timestamptz not null default '-infinity'
);
insert into retention default values;

-- Whether the contacts of an ended campaign have lost their numbers and fields.
alter table campaigns add column contacts_erased boolean not null default false;

-- Attempts whose calls were deleted: a contact's attempts are its calls and these.
alter table contacts add column deleted_calls integer not null default 0;
