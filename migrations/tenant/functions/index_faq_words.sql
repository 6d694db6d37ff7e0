-- Keeps faq_words and faq_vocabulary.
create or replace function index_faq_words() returns trigger language plpgsql as $$
begin
  delete from faq_words where faq_id = new.id;
  insert into faq_words (word, faq_id, in_question)
  select lexeme, new.id, 'A' = any(weights) from unnest(new.search) where length(lexeme) <= 60
  union all
  select lexeme, new.id, true from unnest(to_tsvector('simple', left(new.question, 2000)))
  where ts_lexize('english_stem', lexeme) = '{}';
  -- In order, so that two transactions that add the same words lock them in the same order.
  insert into faq_vocabulary (word)
  select w.word from faq_words w
  where w.faq_id = new.id and not exists (select from faq_vocabulary v where v.word = w.word)
  order by w.word
  on conflict do nothing;
  return null;
end $$;
