-- Counts the calls begun after a moment of the last two minutes: those of one campaign, or those of the account.
create or replace function calls_begun_after(moment timestamptz, campaign uuid default null) returns integer
  language sql stable as $$
  select (
    coalesce((select sum(s.calls) from call_seconds s
              where s.second > date_trunc('second', moment) and (campaign is null or s.campaign_id = campaign)), 0)
    + (select count(*) from calls c
       where c.started_at > moment and c.started_at < date_trunc('second', moment) + interval '1 second'
         and (campaign is null or c.campaign_id = campaign)))::integer
$$;
