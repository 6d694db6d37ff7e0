-- What an agent says before anything else on a call that is recorded. Versions from before this column have no such field
-- in their content, which is read as empty.
-- Functions 7c87c6370936
alter table agents add column recording_notice text not null default '';
