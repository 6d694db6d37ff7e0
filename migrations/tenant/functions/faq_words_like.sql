-- How alike known words are to the word that was asked for, from 0 to 1. Trigrams recognise long words with a slip, the
-- edit distance short words and swapped letters. The extensions are looked up at each call, because the database may come
-- from a server with other extensions.
create or replace function faq_words_like(asked text) returns table (word text, likeness real) language plpgsql stable as $$
begin
  if to_regproc('public.similarity') is not null then
    return query
      select v.word::text, similarity(v.word, asked) from faq_vocabulary v
      where v.word % asked order by 2 desc limit 8;
  end if;
  if to_regproc('public.soundex') is not null then
    return query
      -- A range of the primary key: few people get the first letter wrong.
      select v.word::text, (1 - levenshtein(v.word, asked)::real / greatest(length(v.word), length(asked)))::real
      from faq_vocabulary v
      where v.word >= left(asked, 1) and v.word < left(asked, 1) || U&'\FFFD'
        and length(v.word) between length(asked) - 2 and length(asked) + 2
        and levenshtein_less_equal(v.word, asked, 2) <= 2
      order by 2 desc limit 8;
  end if;
end $$;
