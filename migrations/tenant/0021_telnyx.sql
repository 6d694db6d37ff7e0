-- Telnyx as a carrier. It may say of a call that it is over, and not how.
alter table phone_numbers drop constraint phone_numbers_carrier_check;
alter table phone_numbers add constraint phone_numbers_carrier_check
  check (carrier in ('lab', 'sip', 'telnyx', 'twilio'));

alter table carrier_calls drop constraint carrier_calls_status_check;
alter table carrier_calls add constraint carrier_calls_status_check
  check (status in ('queued', 'initiated', 'ringing', 'in-progress', 'canceled', 'failed', 'busy', 'no-answer', 'completed', 'ended'));
