-- What was seen when a campaign was paused because its carrier fails. It counts while `waiting_for` says so.
alter table campaigns add column waiting_detail text;
