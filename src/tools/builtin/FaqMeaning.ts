/**
 * Finds FAQs by meaning, if an embedding model is configured. An FAQ's vector is written in the background, when a
 * search first includes it; the search waits for that only for a limited time.
 */
import { Clock, Context, type Duration, Effect, Fiber, FiberMap, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { type Embedding, type EmbeddingFailed, Embeddings, type EmbeddingSource } from "./Embeddings.ts"
import { FoundFaq } from "./FaqSearch.ts"
import { RefusedTexts } from "./RefusedTexts.ts"

/** A caller waits on the line: a search that takes longer uses words alone, and has the vectors the next time. */
const longest = "800 millis"
/** PostgreSQL compares one vector in 0.2 ms (1,536 numbers): beyond this many FAQs only words are searched. */
const mostFaqs = 1_000
/** Texts of one request, and characters of each: a question and the beginning of its answer. */
const textsAtOnce = 64
const longestText = 2_000
const most = 3
/** Two minutes in all: longer than the 30 seconds for which a provider that has failed is not asked (Embeddings.ts). */
const retries = { schedule: Schedule.exponential("2 seconds"), times: 6 }

export const FaqMeaning = Context.Reference<{
  /** Best first; empty without a model, or if it does not answer in time. */
  readonly like: (
    question: string,
    faqIds: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<FoundFaq>, never, SqlClient.SqlClient>
}>("tools/FaqMeaning", { defaultValue: () => ({ like: () => Effect.succeed([]) }) })

/** A lookup waits at most `patience` for the model. */
export const layerWithin = (patience: Duration.Input) =>
  Layer.effect(
    FaqMeaning,
    Effect.gen(function* () {
      const embeddings = yield* Embeddings
      if (Option.isNone(embeddings)) return { like: () => Effect.succeed([]) }
      const source = embeddings.value
      const tenants = yield* TenantDatabases
      /** The one writer of each account, by the account's id. */
      const writers = yield* FiberMap.make<string>()
      const refused = new RefusedTexts()

      const write = (entry: AccountEntry, faqIds: ReadonlyArray<string>) =>
        Effect.scoped(
          Effect.flatMap(tenants.open(entry), (tenant) => Effect.provideContext(fill(source, refused, faqIds), tenant)),
        ).pipe(
          Effect.catchCause((cause) => Effect.logWarning("embedding FAQs failed; they stay without embeddings", cause)),
        )

      /** Waits until these FAQs have vectors, or until it is interrupted. The writer continues in either case. */
      const complete = Effect.fnUntraced(function* (faqIds: ReadonlyArray<string>) {
        const entry = yield* Effect.serviceOption(CurrentTenant)
        if (Option.isNone(entry)) return
        const { value } = entry
        if (!(yield* Effect.provideService(isIncomplete(source, refused, faqIds), CurrentTenant, value))) return
        const writing = yield* FiberMap.get(writers, value.id)
        yield* Fiber.await(
          Option.getOrUndefined(writing) ?? (yield* FiberMap.run(writers, value.id, write(value, faqIds))),
        )
      })

      const like = Effect.fn("FaqMeaning.like")(
        function* (question: string, faqIds: ReadonlyArray<string>) {
          if (faqIds.length === 0 || faqIds.length > mostFaqs) return []
          const [[asked = []]] = yield* Effect.all([source.embed([question.slice(0, longestText)]), complete(faqIds)], {
            concurrency: 2,
          })
          return yield* nearest(source, asked, faqIds)
        },
        Effect.timeoutOption(patience),
        Effect.map(Option.getOrElse((): ReadonlyArray<FoundFaq> => [])),
        Effect.catchTag("EmbeddingFailed", () => Effect.succeed([])),
      )
      return { like }
    }),
  )

export const layer = layerWithin(longest)

/** An FAQ's text, as `RefusedTexts` knows it: a changed FAQ has another one. */
const textIn = (sql: SqlClient.SqlClient) => sql.literal("f.id::text || ' ' || f.revision::text")

const isIncomplete = Effect.fnUntraced(function* (
  { model }: EmbeddingSource,
  refused: RefusedTexts,
  faqIds: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const left = refused.of((yield* CurrentTenant).id, yield* Clock.currentTimeMillis)
  const missing = yield* sql`
    select from faqs f
    where f.id = any(${[...faqIds]}::uuid[]) and ${textIn(sql)} <> all(${left}::text[])
      and not exists (select from faq_embeddings e where e.faq_id = f.id and e.model = ${model}) limit 1`
  return missing.length > 0
}, Effect.orDie)

const Missing = Schema.Struct({
  id: Schema.String,
  revision: Schema.Int,
  question: Schema.String,
  answer: Schema.String,
  text: Schema.String,
})
type Missing = typeof Missing.Type

/** Writes the missing vectors of these FAQs and of those attached to any agent. */
const fill = Effect.fn("FaqMeaning.fill")(function* (
  source: EmbeddingSource,
  refused: RefusedTexts,
  faqIds: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  for (let written = 0; written < mostFaqs; written += textsAtOnce) {
    const left = refused.of((yield* CurrentTenant).id, yield* Clock.currentTimeMillis)
    const faqs = yield* Rows.all(Missing)(sql`
      select f.id, f.revision, f.question, f.answer, ${textIn(sql)} as text from faqs f
      where (f.id = any(${[...faqIds]}::uuid[]) or exists (select from agent_faqs a where a.faq_id = f.id))
        and ${textIn(sql)} <> all(${left}::text[])
        and not exists (select from faq_embeddings e where e.faq_id = f.id and e.model = ${source.model})
      order by f.id limit ${textsAtOnce}`)
    if (faqs.length === 0) return
    const rows = yield* embed(source, refused, faqs)
    // Nothing is written for an FAQ that was changed meanwhile: the statement waits for its lock, and then its revision
    // differs.
    yield* sql`
      insert into faq_embeddings (faq_id, model, embedding)
      select f.id, ${source.model}, x.embedding
      from jsonb_to_recordset(${json(rows)}) x (id uuid, revision int, embedding real[])
        join faqs f on f.id = x.id and f.revision = x.revision
      for share of f
      on conflict (faq_id) do update set model = excluded.model, embedding = excluded.embedding`
  }
})

interface Vector {
  readonly id: string
  readonly revision: number
  readonly embedding: Embedding
}

/**
 * The vectors of these FAQs, without those that the provider refuses. A request fails as a whole, so one that is refused
 * is sent again in halves: one bad text among 64 costs 12 requests more.
 */
const embed = (
  source: EmbeddingSource,
  refused: RefusedTexts,
  faqs: ReadonlyArray<Missing>,
): Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed, CurrentTenant> =>
  source.embed(faqs.map(({ answer, question }) => `${question}\n${answer}`.slice(0, longestText))).pipe(
    Effect.retry({ ...retries, while: ({ is_refused }) => !is_refused }),
    Effect.map((found) => faqs.map(({ id, revision }, at) => ({ id, revision, embedding: found[at] ?? [] }))),
    Effect.catchIf(
      ({ is_refused }) => is_refused,
      () => (faqs.length === 1 ? refuse(refused, faqs) : embedHalves(source, refused, faqs)),
    ),
  )

const refuse = Effect.fnUntraced(function* (refused: RefusedTexts, faqs: ReadonlyArray<Missing>) {
  const { id: account } = yield* CurrentTenant
  const now = yield* Clock.currentTimeMillis
  for (const { text } of faqs) refused.add(account, text, now)
  const none: ReadonlyArray<Vector> = []
  return none
})

const embedHalves = Effect.fnUntraced(function* (
  source: EmbeddingSource,
  refused: RefusedTexts,
  faqs: ReadonlyArray<Missing>,
) {
  const middle = Math.ceil(faqs.length / 2)
  const first = yield* embed(source, refused, faqs.slice(0, middle))
  return [...first, ...(yield* embed(source, refused, faqs.slice(middle)))]
})

const nearest = Effect.fnUntraced(function* (source: EmbeddingSource, asked: Embedding, faqIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(FoundFaq)(sql`
    select f.id, f.question, f.answer, f.category
    from (
      select e.faq_id, (
        select sum(pair.a * pair.b) from unnest(e.embedding, ${`{${asked.join()}}`}::real[]) as pair (a, b)
      ) as likeness
      from faq_embeddings e
      where e.model = ${source.model} and e.faq_id = any(${[...faqIds]}::uuid[])
        and cardinality(e.embedding) = ${asked.length}
    ) compared join faqs f on f.id = compared.faq_id
    where likeness >= ${source.likeness}
    order by likeness desc, f.id limit ${most}`)
}, Effect.orDie)
