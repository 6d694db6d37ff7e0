-- As revoke_by_opt_out, of the consents that concern the subject of the wish.
create or replace function revoke_subject_by_opt_out() returns trigger language plpgsql as $$
begin
  insert into consents (id, kind, phone_number, subject, channel, source, call_id, at)
  values (uuid_at(clock_timestamp()), 'revocation', new.phone_number, new.subject, 'any_call', 'call', new.call_id,
    clock_timestamp())
  on conflict (call_id, phone_number) where kind = 'revocation' do nothing;
  return null;
end $$;
