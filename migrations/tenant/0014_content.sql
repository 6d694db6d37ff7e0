-- Shipped content 3d96256eaf01 (src/catalog/shipped): it is written after the migrations, whenever one of them is new.

-- What is known of the variables that a campaign's agent speaks of; null: nobody looked, as of campaigns before this.
alter table campaigns add column variables jsonb;

-- What an FAQ's question and answer mean to a model, for lookup_faq. There is none where no model is configured.
create table faq_embeddings (
  faq_id    uuid primary key references faqs on delete cascade,
  -- `provider/model`: numbers of another one cannot be compared.
  model     text not null,
  -- Of length 1.
  embedding real[] not null
);

create function forget_faq_embedding() returns trigger language plpgsql as $$
begin
  delete from faq_embeddings where faq_id = new.id;
  return null;
end $$;
create trigger faqs_embedding after update of question, answer on faqs
  for each row when (old.question <> new.question or old.answer <> new.answer)
  execute function forget_faq_embedding();
