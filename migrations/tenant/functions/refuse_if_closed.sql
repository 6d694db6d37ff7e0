-- In an account that is being deleted nothing begins. SQLSTATE 57P03: a request is answered with 503, and the next one with
-- 404.
create or replace function refuse_if_closed(budget budget) returns void language plpgsql stable as $$
begin
  if budget.closed_at is not null then
    raise exception 'the account is being deleted' using errcode = 'cannot_connect_now';
  end if;
end $$;
