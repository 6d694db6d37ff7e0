/**
 * What `lookup_faq` finds for 200 questions about 50 FAQs and for some about none, with the present search and with the
 * previous one; and how long a search takes, among these 50 FAQs and among many.
 */
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Tenancy from "../../src/tenancy/Room.ts"
import { search } from "../../src/tools/builtin/FaqSearch.ts"
import * as FaqRecall from "../support/FaqRecall.ts"
import * as TestTenancy from "../support/TestTenancy.ts"
import { askedFaqs, offTopic } from "../tools/builtin/FaqQuestions.ts"
import { ms, percentile, whole } from "./support/Numbers.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** The previous search, without weights for rare words: any word may match, and `ts_rank` orders the results. */
const fullText: FaqRecall.Search = Effect.fn("fullText")(function* (question, ids) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ question: string; answer: string; category: string }>`
    select f.question, f.answer, f.category
    from faqs f, (select replace(plainto_tsquery('english', ${question})::text, '&', '|')::tsquery as words) q
    where f.id = any(${[...ids]}::uuid[]) and f.search @@ q.words
    order by ts_rank(f.search, q.words) desc, f.id limit 3`
}, Effect.orDie)

const syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split(" ")
/** One of 8,000 words that are not English. */
const brand = (at: number) => [at, at / 20, at / 400].map((part) => syllables[Math.floor(part) % 20]).join("")

/** Many FAQs, with words that all of them share and words of their own. An agent has 10,000 at most. */
const many = (count: number) =>
  Array.from({ length: Math.ceil(count / askedFaqs.length) }, (_, round) =>
    askedFaqs.map(({ answer, question }, at) => ({
      question: `${question} ${brand(round * 50 + at)}`,
      answer: `${answer} ${brand(round * 57 + at)} ${brand(round * 91 + at)}`,
    })),
  ).flat()

const asked = askedFaqs.flatMap((faq) => faq.asked)
const longest = asked.join(" ").slice(0, 1_000)

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const quality = Effect.fnUntraced(function* (name: string, find: FaqRecall.Search, ids: ReadonlyArray<string>) {
  const all = yield* FaqRecall.measure(find, ids)
  const tuned = yield* FaqRecall.measure(find, ids, [0, 1])
  const unseen = yield* FaqRecall.measure(find, ids, [2, 3])
  const row = [all, tuned, unseen].flatMap(({ at1, at3 }) => [percent(at1), percent(at3)])
  return { missed: all.missed, row: [name, ...row, `${all.falseAnswers} of ${offTopic.length}`] }
})

const speed = Effect.fnUntraced(function* (
  name: string,
  find: FaqRecall.Search,
  ids: ReadonlyArray<string>,
  questions: ReadonlyArray<string>,
) {
  const took: Array<number> = []
  for (const [at, question] of [...questions.slice(0, 10), ...questions].entries()) {
    const began = performance.now()
    yield* find(question, ids)
    if (at >= 10) took.push(performance.now() - began)
  }
  return [name, whole(ids.length), ms(percentile(took, 0.5)), ms(percentile(took, 0.99))]
})

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { faqs: { type: "string", default: "1000" }, missed: { type: "boolean", default: false } },
  })
  const postgres = await Postgres.start()
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-data-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const env = { DATABASE_URL: postgres.urlOf("parley"), PARLEY_DATA_DIR: folder, LOG_LEVEL: "Warn" }
  const tenancy = Tenancy.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

  const measured = Effect.gen(function* () {
    const fifty = yield* TestTenancy.newAccount("fifty")
    const inFifty = TestTenancy.within(fifty)
    const ids = yield* inFifty(FaqRecall.write(askedFaqs))
    const now = yield* inFifty(quality("lookup_faq", search, ids))
    const before = yield* inFifty(quality("full text alone, as it was", fullText, ids))
    const long = Array.from({ length: 30 }, (_, at) => longest.slice(at))
    const speeds = yield* inFifty(
      Effect.all([speed("lookup_faq", search, ids, asked), speed("full text alone", fullText, ids, asked)]),
    )
    yield* Effect.promise(() =>
      postgres.query(fifty.database, "drop extension pg_trgm cascade; drop extension fuzzystrmatch cascade"),
    )
    const bare = yield* inFifty(quality("lookup_faq without pg_trgm and fuzzystrmatch", search, ids))

    const crowd = yield* TestTenancy.newAccount("crowd")
    const inCrowd = TestTenancy.within(crowd)
    const crowdIds = yield* inCrowd(FaqRecall.write(many(Number(values.faqs))))
    yield* Effect.promise(() => postgres.query(crowd.database, "vacuum analyze"))
    const crowdSpeeds = yield* inCrowd(
      Effect.all([
        speed("lookup_faq", search, crowdIds, asked),
        speed("full text alone", fullText, crowdIds, asked),
        speed("lookup_faq, questions of 1,000 characters", search, crowdIds, long),
        speed("full text alone, questions of 1,000 characters", fullText, crowdIds, long),
      ]),
    )
    return { quality: [now, bare, before], speeds: [...speeds, ...crowdSpeeds] }
  })
  const found = await Effect.runPromise(measured.pipe(Effect.provide(tenancy)))

  heading(`FAQs: ${asked.length} questions about ${askedFaqs.length} FAQs, ${offTopic.length} about none`)
  table(
    ["search", "recall@1", "@3", "tuned on: @1", "@3", "not seen: @1", "@3", "false answers"],
    found.quality.map(({ row }) => row),
  )
  heading("Time of a search, one after another")
  table(["search", "FAQs", "p50", "p99"], found.speeds)
  if (values.missed) note(found.quality[0]?.missed.join("\n") ?? "")
  machine()
  await postgres.stop()
}
