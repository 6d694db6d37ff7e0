-- What another process needs to cancel a SIP call that rings when its own process is killed.
alter table carrier_calls add column invitation jsonb;
