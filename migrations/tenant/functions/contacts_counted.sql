-- Counts contacts by status and outcome as they change (I6).
create or replace function contacts_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update campaign_progress p set total = p.total + n.total, pending = p.pending + n.total
      from (select campaign_id, count(*) as total from new_contacts group by campaign_id) n
      where p.campaign_id = n.campaign_id;
    return null;
  end if;
  -- A batch has few kinds of steps, however many contacts it has.
  update campaign_progress p set
    pending = p.pending + d.pending, to_be_retried = p.to_be_retried + d.to_be_retried,
    in_progress = p.in_progress + d.in_progress,
    completed = p.completed + d.completed, failed = p.failed + d.failed, skipped = p.skipped + d.skipped,
    ended_answered = p.ended_answered + d.answered, ended_voicemail = p.ended_voicemail + d.voicemail,
    ended_no_answer = p.ended_no_answer + d.no_answer, ended_busy = p.ended_busy + d.busy,
    ended_rejected = p.ended_rejected + d.rejected, ended_invalid_number = p.ended_invalid_number + d.invalid_number,
    ended_carrier_error = p.ended_carrier_error + d.carrier_error, ended_unknown = p.ended_unknown + d.unknown
  from (
    select campaign_id,
      coalesce(sum(n) filter (where status = 'pending'), 0) as pending,
      coalesce(sum(n) filter (where status = 'pending' and called), 0) as to_be_retried,
      coalesce(sum(n) filter (where status = 'in_progress'), 0) as in_progress,
      coalesce(sum(n) filter (where status = 'completed'), 0) as completed,
      coalesce(sum(n) filter (where status = 'failed'), 0) as failed,
      coalesce(sum(n) filter (where status = 'skipped'), 0) as skipped,
      coalesce(sum(n) filter (where ended_as = 'answered'), 0) as answered,
      coalesce(sum(n) filter (where ended_as = 'voicemail'), 0) as voicemail,
      coalesce(sum(n) filter (where ended_as = 'no_answer'), 0) as no_answer,
      coalesce(sum(n) filter (where ended_as = 'busy'), 0) as busy,
      coalesce(sum(n) filter (where ended_as = 'rejected'), 0) as rejected,
      coalesce(sum(n) filter (where ended_as = 'invalid_number'), 0) as invalid_number,
      coalesce(sum(n) filter (where ended_as = 'carrier_error'), 0) as carrier_error,
      coalesce(sum(n) filter (where ended_as = 'unknown'), 0) as unknown
    from (
      select campaign_id, status, attempts > 0 as called,
        case when status in ('completed', 'failed') then outcome end as ended_as, sum(step) as n
      from (select campaign_id, status, attempts, outcome, 1 as step from new_contacts
            union all select campaign_id, status, attempts, outcome, -1 from old_contacts) steps
      group by 1, 2, 3, 4 having sum(step) <> 0
    ) changed group by campaign_id
  ) d where p.campaign_id = d.campaign_id;
  return null;
end $$;
