-- What carriers whose calls outlive our processes say of them: one row a call, the join of all reports (CarrierReport).
-- Apart from `calls`, so that a report takes none of the locks of a dial. Lock order: after everything else.
create table carrier_calls (
  call_id          uuid primary key references calls on delete cascade,
  -- The carrier's own name of the call. One of its calls is never two of ours.
  sid              text unique,
  status           text not null check (status in ('queued', 'initiated', 'ringing', 'in-progress', 'canceled',
                                                   'failed', 'busy', 'no-answer', 'completed')),
  sequence         integer not null,
  answered_at      timestamptz,
  duration_seconds integer,
  sip_code         integer,
  -- What was heard on it, where the carrier turns speech into text: [{"mark", "text", "at"}], each mark once.
  words            jsonb not null default '[]',
  -- Raised by every report that changed something, so that who conducts the call reads what is new alone.
  version          integer not null default 1,
  updated_at       timestamptz not null default now()
);
