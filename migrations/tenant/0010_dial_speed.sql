-- The functions below join the rows of a statement before and after it. Their plans are made when they first run, with
-- a handful of rows, and kept: a nested loop then takes 145 ms for a batch of 400 calls, a hash join 2 ms.
alter function calls_end() set enable_nestloop = off;
alter function calls_told() set enable_nestloop = off;
alter function contacts_told() set enable_nestloop = off;

-- Calls by the second in which they began: what has begun in the last minute is then sixty sums and the rows of one
-- second, where a count of rows took 20 ms at a thousand calls a second. Direct calls stand under the nil UUID.
create table call_seconds (
  second      timestamptz not null,
  campaign_id uuid not null,
  calls       integer not null,
  primary key (second, campaign_id)
);
create function calls_by_second() returns trigger language plpgsql as $$
begin
  insert into call_seconds as s (second, campaign_id, calls)
    select date_trunc('second', started_at), coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*)
    from new_calls group by 1, 2 order by 1, 2
    on conflict (second, campaign_id) do update set calls = s.calls + excluded.calls;
  delete from call_seconds where second < clock_timestamp() - interval '2 minutes';
  return null;
end $$;
-- After `calls_begin`, by its name: the budget's row is locked.
create trigger calls_by_second after insert on calls referencing new table as new_calls
  for each statement execute function calls_by_second();
insert into call_seconds
  select date_trunc('second', started_at), coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*)
  from calls where started_at > clock_timestamp() - interval '2 minutes' group by 1, 2;

-- Calls begun after a moment of the last two minutes: of one campaign, or of the account.
create function calls_begun_after(moment timestamptz, campaign uuid default null) returns integer
  language sql stable as $$
  select (
    coalesce((select sum(s.calls) from call_seconds s
              where s.second > date_trunc('second', moment) and (campaign is null or s.campaign_id = campaign)), 0)
    + (select count(*) from calls c
       where c.started_at > moment and c.started_at < date_trunc('second', moment) + interval '1 second'
         and (campaign is null or c.campaign_id = campaign)))::integer
$$;
