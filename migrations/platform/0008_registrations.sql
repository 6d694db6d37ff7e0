-- Numbers whose server delivers calls only where they are registered. One process registers each: it renews `held_until`,
-- and another one takes over when that has passed. `registration` says how it stands.
alter table inbound_numbers
  add column registers boolean not null default false,
  add column registrar text,
  add column held_until timestamptz not null default '-infinity',
  add column registration jsonb;
create index inbound_numbers_registered on inbound_numbers (account_id) where registers;
