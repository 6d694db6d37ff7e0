-- Makes a version of each of these agents that differs from its current version. It locks the agent's row until the commit
-- and reads the content after that, so versions have no gap and none is made twice.
-- `raised`: the agent's own revision has been raised already.
create or replace function agent_versions_keep(agent_ids uuid[], raised boolean default false, source integer default null)
returns void language plpgsql as $$
declare
  each uuid;
  current agent_versions;
  present integer;
  body json;
  body_digest bytea;
  whole_digest bytea;
  faqs uuid[];
begin
  for each in select distinct id from unnest(agent_ids) id order by id loop
    select version into present from agents where id = each for no key update;
    continue when not found;
    select * into current from agent_versions where agent_id = each and version = present;
    body := agent_content(each);
    faqs := array(select faq_id from agent_faqs where agent_id = each order by faq_id);
    body_digest := sha256(convert_to(body::text, 'UTF8'));
    whole_digest := sha256(body_digest || convert_to(array_to_string(faqs, ','), 'UTF8'));
    continue when current.digest = whole_digest;
    insert into agent_contents (agent_id, digest, content) values (each, body_digest, body) on conflict do nothing;
    insert into agent_versions
      (agent_id, version, digest, content_digest, tool_ids, faq_ids, restored_from, created_by)
    values (
      each, present + 1, whole_digest, body_digest,
      array(select tool_id from agent_tools where agent_id = each and enabled order by tool_id), faqs, source,
      nullif(current_setting('parley.author', true), '')::jsonb);
    -- The version is a field of the agent, so its ETag changes with it.
    update agents set version = present + 1, revision = revision + case when raised then 0 else 1 end where id = each;
  end loop;
end $$;
