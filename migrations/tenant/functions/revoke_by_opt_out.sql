-- Writes a revocation of every consent for a person who asked in a call not to be called. A trigger, because two statements
-- store that wish, and the release before stores it too. A call writes one revocation
-- for each number of the person.
create or replace function revoke_by_opt_out() returns trigger language plpgsql as $$
begin
  insert into consents (id, kind, phone_number, channel, source, call_id, at)
  values (uuid_at(clock_timestamp()), 'revocation', new.phone_number, 'any_call', 'call', new.call_id, clock_timestamp())
  on conflict (call_id, phone_number) where kind = 'revocation' do nothing;
  return null;
end $$;
