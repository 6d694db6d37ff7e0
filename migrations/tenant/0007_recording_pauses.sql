-- Another process than the one that conducts the call was asked to pause the recording, or to resume it. Null once that is
-- done.
alter table recordings add column wants_pause boolean;
