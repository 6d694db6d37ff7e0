-- A changed FAQ needs a new embedding.
create or replace function forget_faq_embedding() returns trigger language plpgsql as $$
begin
  delete from faq_embeddings where faq_id = new.id;
  return null;
end $$;
