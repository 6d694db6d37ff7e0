-- The call that this call was placed for, to hand it over to a person (a warm transfer).
alter table calls add column transfer_of uuid;
create index calls_of_transfers on calls (transfer_of) where transfer_of is not null;
