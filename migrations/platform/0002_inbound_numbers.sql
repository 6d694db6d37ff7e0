-- Which account a called number belongs to, and from where its trunk calls. Derived from the phone numbers of the accounts'
-- databases, which decide; a call is answered only after a look there.
create table inbound_numbers (
  account_id uuid not null references accounts (id) on delete cascade,
  phone_number_id uuid not null,
  number text not null,
  -- The trunk's server, a name or an address, and the addresses that it sends from besides.
  server text not null,
  addresses text[] not null,
  -- Of two accounts that list a number behind one trunk, the one that listed it first receives its calls.
  claimed_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (account_id, phone_number_id)
);
create index inbound_numbers_by_number on inbound_numbers (number);
create index inbound_numbers_changed on inbound_numbers (changed_at);
