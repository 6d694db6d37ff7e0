-- What lookup_faq finds FAQs by: each word of each FAQ as a row, so that a word counts by how rare it is among an agent's
-- FAQs, and every word once, so that one that nobody wrote is taken for the nearest that somebody did.

-- Both are trusted extensions that ship with PostgreSQL. A server may lack them: then words are found as they are spelt.
do $extensions$
declare
  wanted text;
begin
  foreach wanted in array array['pg_trgm', 'fuzzystrmatch'] loop
    begin
      execute format('create extension if not exists %I schema public', wanted);
    exception when others then
      raise notice 'FAQs are searched without the extension %: %', wanted, sqlerrm;
    end;
  end loop;
end
$extensions$;

create table faq_words (
  -- A stem, or a stop word of the question as it is: "where" and "when" tell questions apart that share the rest.
  word        text collate "C" not null,
  faq_id      uuid not null references faqs on delete cascade,
  in_question boolean not null,
  primary key (word, faq_id)
);
create index faq_words_by_faq on faq_words (faq_id);

-- Words are not taken back: one that no FAQ has any more is found, and leads nowhere.
create table faq_vocabulary (
  word text collate "C" primary key
);

do $index$
begin
  if to_regproc('public.similarity') is not null then
    create index faq_vocabulary_alike on faq_vocabulary using gin (word public.gin_trgm_ops);
  end if;
end
$index$;

create function index_faq_words() returns trigger language plpgsql as $$
begin
  delete from faq_words where faq_id = new.id;
  insert into faq_words (word, faq_id, in_question)
  select lexeme, new.id, 'A' = any(weights) from unnest(new.search) where length(lexeme) <= 60
  union all
  select lexeme, new.id, true from unnest(to_tsvector('simple', left(new.question, 2000)))
  where ts_lexize('english_stem', lexeme) = '{}';
  -- In order, so that two who add the same words wait for each other in the same order.
  insert into faq_vocabulary (word)
  select w.word from faq_words w
  where w.faq_id = new.id and not exists (select from faq_vocabulary v where v.word = w.word)
  order by w.word
  on conflict do nothing;
  return null;
end $$;
create trigger faqs_words after insert or update of question, answer on faqs
  for each row execute function index_faq_words();

-- How alike a word is to what was asked, from 0 to 1: trigrams see long words with a slip in them, the edit distance sees
-- short ones and swapped letters. The functions are looked for when they are called, wherever the database came from.
create function faq_words_like(asked text) returns table (word text, likeness real) language plpgsql stable as $$
begin
  if to_regproc('public.similarity') is not null then
    return query
      select v.word::text, similarity(v.word, asked) from faq_vocabulary v
      where v.word % asked order by 2 desc limit 8;
  end if;
  if to_regproc('public.soundex') is not null then
    return query
      -- Its own beginning and end of a range, which the primary key serves: few people get the first letter wrong.
      select v.word::text, (1 - levenshtein(v.word, asked)::real / greatest(length(v.word), length(asked)))::real
      from faq_vocabulary v
      where v.word >= left(asked, 1) and v.word < left(asked, 1) || U&'\FFFD'
        and length(v.word) between length(asked) - 2 and length(asked) + 2
        and levenshtein_less_equal(v.word, asked, 2) <= 2
      order by 2 desc limit 8;
  end if;
end $$;

-- FAQs that are there already.
update faqs set question = question;
