-- What a dial writes: the row of a call stays in its place when the call ends, and that of a contact when it is dialled
-- and settled, since no index has what changes then. An index entry is the dearest part of a write.

-- Calls that have not ended, and nothing else: small, and soon gone. I1: one of them a contact, and a number. Triggers on
-- `calls` keep it, so that no code can forget to.
create table live_calls (
  call_id    uuid primary key,
  contact_id uuid,
  to_number  text
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);
insert into live_calls select id, contact_id, to_number from calls where ended_at is null;
drop index calls_live, calls_one_live_a_contact, calls_one_live_a_number;
create unique index calls_one_live_a_contact on live_calls (contact_id) where contact_id is not null;
create unique index calls_one_live_a_number on live_calls (to_number) where to_number is not null;

create function calls_live() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'INSERT' then
    insert into live_calls select id, contact_id, to_number from new_calls where ended_at is null;
  elsif tg_op = 'UPDATE' then
    select array_agg(id) into ids from new_calls where ended_at is not null;
    delete from live_calls where call_id = any(ids);
  else
    select array_agg(id) into ids from old_calls;
    delete from live_calls where call_id = any(ids);
  end if;
  return null;
end $$;
-- By its key, however small the table was when the plan was made: between two vacuums it holds what is long gone.
alter function calls_live() set enable_seqscan = off;
-- After `calls_begin` and `calls_end`, by their names: the budget's row is locked.
create trigger calls_live_begin after insert on calls referencing new table as new_calls
  for each statement execute function calls_live();
create trigger calls_live_end after update on calls referencing new table as new_calls
  for each statement execute function calls_live();
create trigger calls_live_gone after delete on calls referencing old table as old_calls
  for each statement execute function calls_live();

-- What is dialled is locked, so that it is there; looking it up once more for every call took a fifth of an insert. Only
-- drafts are deleted, and they have no calls; what an administrator deletes takes its calls along.
alter table calls drop constraint calls_contact_id_fkey, drop constraint calls_campaign_id_fkey;
create function campaigns_gone() returns trigger language plpgsql as $$
begin
  delete from calls where campaign_id in (select id from old_campaigns);
  return null;
end $$;
create trigger campaigns_gone after delete on campaigns referencing old table as old_campaigns
  for each statement execute function campaigns_gone();

-- Why calls were allowed: one record for all calls of a turn that were decided alike.
create table dial_records (
  id     uuid primary key,
  record jsonb not null
);
alter table calls disable trigger user;
insert into dial_records select id, decision from calls where decision is not null;
alter table calls add column dial_record_id uuid;
update calls set dial_record_id = id where decision is not null;
alter table calls drop column decision, alter column variables drop not null;
alter table calls enable trigger user;
-- Read backwards, written at their end.
drop index calls_newest, calls_of_campaign;
create index calls_newest on calls (started_at, id);
create index calls_of_campaign on calls (campaign_id, started_at, id) where campaign_id is not null;
-- Room for the end beside the beginning.
alter table calls set (fillfactor = 50);

-- Who has never been dialled nor put off waits in the order of the file, behind the last one whose turn has come; who
-- waits for a time has an index on it, and so has who waits for another call to the same number, with the time of his turn.
alter table campaign_progress add column turn_taken_to integer not null default 0;
drop index contacts_fresh, contacts_retried, contacts_by_status;
update contacts set due_at = clock_timestamp() where status = 'pending' and attempts > 0 and due_at = '-infinity';
update campaign_progress p set turn_taken_to = coalesce((
  select min(position) - 1 from contacts c
  where c.campaign_id = p.campaign_id and c.status = 'pending' and c.due_at = '-infinity'), p.total);
create index contacts_waiting on contacts (campaign_id, due_at, position) where due_at > '-infinity';
alter table contacts set (fillfactor = 45);

create or replace function calling_window_changed() returns trigger language plpgsql as $$
begin
  update contacts c set due_at = clock_timestamp(), waits_for = null, updated_at = clock_timestamp()
  from campaigns p
  where p.id = c.campaign_id and p.calling_window is null and p.status in ('running', 'paused')
    and c.status = 'pending' and c.waits_for = 'calling_window';
  return null;
end $$;
