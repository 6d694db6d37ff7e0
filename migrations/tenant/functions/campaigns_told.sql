-- Appends the event of a change of status, with the counts of that moment. A campaign that ends as failed has a second
-- event, so that a receiver can subscribe to failures alone.
create or replace function campaigns_told() returns trigger language plpgsql as $$
declare
  data constant jsonb := jsonb_build_object(
    'id', new.id, 'name', new.name, 'agent_id', new.agent_id, 'phone_number_id', new.phone_number_id,
    'status', new.status, 'previous_status', old.status, 'max_concurrent_calls', new.max_concurrent_calls,
    'waiting_for', new.waiting_for, 'started_at', new.started_at, 'ended_at', new.ended_at,
    'end_reason', new.end_reason,
    'counts', (select campaign_counts(p) from campaign_progress p where p.campaign_id = new.id),
    'cost', (select jsonb_build_object('amount', p.cost, 'currency', 'USD') || p.cost_parts
             from campaign_progress p where p.campaign_id = new.id));
begin
  perform events_append(
    'campaign.' || case new.status when 'running' then 'started' when 'paused' then 'paused' else 'completed' end,
    array[new.id], data);
  if new.status = 'failed' then perform events_append('campaign.failed', array[new.id], data); end if;
  return null;
end $$;
