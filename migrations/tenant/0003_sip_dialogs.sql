-- The dialog of an answered SIP call: its tags, numbers, target and route. With it any process can send the BYE, should
-- the one that placed the call be gone.
alter table carrier_calls add column dialog jsonb;
