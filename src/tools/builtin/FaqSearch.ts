/**
 * Finds the FAQs that answer a question. People use other words than the FAQ does, and the question may have typing errors, or errors of a speech recogniser. docs/benchmarks.md measures what it finds (`npm run bench -- faq`).
 *
 * Each word of the question counts by how rare it is among these FAQs, and half if it stands only in an answer. A word
 * that none of them has is taken for the most similar word (migrations, `faq_words_like`), for two words that were
 * written as one, or for half of a word that was written as two.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../tenancy/Rows.ts"

export const FoundFaq = Schema.Struct({
  id: Schema.String,
  question: Schema.String,
  answer: Schema.String,
  category: Schema.String,
})
export type FoundFaq = typeof FoundFaq.Type

/** The number of results: enough for a model to choose from. The best comes first. */
const most = 3
/** The most characters of a question: longer than any sentence, since each word takes time. */
const longestQuestion = 1_000

/** Stems of words that a spoken question has and that say little about its subject. */
const fillers = (
  "um uh er hi hello hey please thank thanks okay ok yeah yes well like know tell want wonder would could guy say ask " +
  "help sorri realli just need get got go come make take use give let thing stuff someth someon somebodi question " +
  "abl possibl"
).split(" ")

/**
 * The share of the weight of the question's words that an FAQ has to cover. It keeps half a match of an unrelated
 * question from becoming an answer; the bench counts both errors.
 */
const floor = 0.17

/** PostgreSQL's parser would make words of the letters after an apostrophe. */
const plain = (question: string): string =>
  question
    .slice(0, longestQuestion)
    .replaceAll(/n['’]t\b/giu, " not")
    .replaceAll(/['’](?:s|d|m|re|ve|ll)\b/giu, " ")

export const search = Effect.fn("FaqSearch.search")(function* (asked: string, faqIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const question = plain(asked)
  return yield* Rows.all(FoundFaq)(sql`
    with mine as materialized (select id from unnest(${[...faqIds]}::uuid[]) as id),
    ${askedWords(sql, question)},
    ${searchedTerms(sql, question)},
    ${scoredFaqs(sql)},
    best as (
      select faq_id, value / (select sum(factor * worth) from worth) as share,
        told / (select sum(worth) from worth where factor = 1) as told
      from scored order by 2 desc, 1 limit 20
    )
    select f.id, f.question, f.answer, f.category
    from best b join faqs f on f.id = b.faq_id
      cross join lateral (select count(*) as length from faq_words w where w.faq_id = f.id and w.in_question) own
    -- A question of stop words alone has to be nearly the FAQ's.
    where coalesce(b.told >= ${floor}, b.share >= 0.6)
    -- What a long question has in common with anything is worth a little less.
    order by b.share * (0.8 + 0.2 * least(1, 4.0 / own.length)) desc, f.id
    limit ${most}`)
}, Effect.orDie)

/** Table expressions: `asked`, the words of the question, and `kept`, those of them that the search looks for. */
const askedWords = (sql: SqlClient.SqlClient, question: string) => sql`
  -- The last forty: who speaks that long asks at the end.
  asked as materialized (
    select word, max(factor) as factor from (
      select lexeme as word, positions[1] as position,
        case when lexeme = any(${fillers}::text[]) then 0.15 else 1 end as factor
      from unnest(to_tsvector('english', ${question}))
      union all
      select lexeme, positions[1], 0.2 from unnest(to_tsvector('simple', ${question}))
      where ts_lexize('english_stem', lexeme) = '{}'
    ) words
    group by word order by max(position) desc limit 40
  ),
  counted as materialized (
    select word, factor, faqs, row_number() over (order by sign(faqs) desc, faqs, word) as place
    from asked cross join lateral (
      select count(*) as faqs from (select from faq_words w where w.word = asked.word limit 1001) few
    ) known
  ),
  -- What a thousand FAQs have tells none of them, unless there is nothing else to go by.
  kept as materialized (
    select word, factor, faqs from counted where faqs = 0 or place = 1 or (place <= 16 and faqs <= 1000)
  )`

/**
 * `terms`, the words to look for in place of each kept word: the word itself, words like it, its two halves, and the
 * word joined with the next one.
 */
const searchedTerms = (sql: SqlClient.SqlClient, question: string) => sql`
  stray as materialized (
    select word from kept where faqs = 0 and factor = 1 and length(word) between 5 and 40 limit 8
  ),
  terms as materialized (
    select word as asked, word, factor from kept where faqs > 0
    union all
    select s.word, l.word, 0.9 * l.likeness from stray s cross join lateral faq_words_like(s.word) l
    where l.likeness >= 0.45
    union all
    select s.word, part.word, 0.8
    from stray s cross join lateral generate_series(3, length(s.word) - 2) cut
      cross join lateral unnest(array[left(s.word, cut), substr(s.word, cut + 1)]) part (word)
    where exists (select from faq_words f where f.word = left(s.word, cut))
      and exists (select from faq_words f where f.word = substr(s.word, cut + 1))
    union all
    -- Two words in a row that are one say more than the first of them does.
    select pair.words[1], l.lexeme, 2.5
    from (
      select array[word, lead(word) over (order by position)] as words
      from regexp_split_to_table(lower(${question}), '[^[:alnum:]]+') with ordinality as t (word, position)
    ) pair
      cross join lateral unnest(to_tsvector('english', pair.words[1] || pair.words[2])) l
    where length(l.lexeme) between 4 and 40 and not exists (select from asked a where a.word = l.lexeme)
  )`

/** `worth`, the weight of each kept word by how rare it is among the FAQs, and `scored`, the FAQs that have a term. */
const scoredFaqs = (sql: SqlClient.SqlClient) => sql`
  heard as materialized (
    select t.asked, w.faq_id, t.factor, w.in_question
    from terms t cross join lateral (
      select faq_id, in_question from faq_words w where w.word = t.word limit 10000
    ) w join mine on mine.id = w.faq_id
  ),
  rarity as (select asked as word, count(distinct faq_id) as faqs from heard group by asked),
  -- As if there were twenty more FAQs: among three, a word that one of them has is not common yet.
  worth as materialized (
    select word, factor,
      ln(1 + ((select count(*) from mine) + 20)::float8 / (coalesce(rarity.faqs, 0) + 1))
        * case when rarity.faqs is null then 0.7 else 1 end as worth
    from kept left join rarity using (word)
  ),
  scored as (
    select faq_id, sum(value) as value, coalesce(sum(value) filter (where telling), 0) as told
    from (
      select h.faq_id, coalesce(w.factor, 1) = 1 as telling,
        max(h.factor * coalesce(w.worth, 1) * case when h.in_question then 1 else 0.5 end) as value
      from heard h left join worth w on w.word = h.asked
      group by h.faq_id, h.asked, w.factor
    ) each_word
    group by faq_id
  )`
