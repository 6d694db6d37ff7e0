-- The numbers of a person are one line (decision 0087): a call to one of them holds the others. The transaction that begins
-- calls has locked the budget, so each of two transactions sees what the other one holds. Without sequential scans, because
-- between two vacuums held_lines holds many dead rows.
create or replace function hold_lines(begun uuid[], campaigns uuid[]) returns void
language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from unnest(campaigns) n(id)
      cross join lateral (
        select from contacts p where p.campaign_id = n.id and p.additional_numbers is not null limit 1) p) then
    insert into held_lines (line, call_id)
      select distinct h.line, n.id
      from calls n join contacts k on k.id = n.contact_id
        cross join lateral unnest(k.phone_number || k.additional_numbers) h(line)
      where n.id = any(begun) and n.ended_at is null and k.additional_numbers is not null
        and h.line is distinct from n.to_number;
  end if;
  if not exists (select from held_lines where line > '') then return; end if;
  -- guard: no number of a person is called while another one is in a call (I1)
  if exists (
      select from held_lines h join live_calls l on l.line = h.line
      where h.call_id = any(begun) or l.call_id = any(begun)) then
    raise exception 'another number of the person is in a call'
      using errcode = 'unique_violation', constraint = 'calls_one_live_a_number';
  end if;
  -- end of guard
end $$;
