import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseServer, ownersPool } from "../../../src/tenancy/DatabaseServer.ts"
import { search } from "../../../src/tools/builtin/FaqSearch.ts"
import * as FaqRecall from "../../support/FaqRecall.ts"
import * as TestTenancy from "../../support/TestTenancy.ts"
import { askedFaqs } from "./FaqQuestions.ts"

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("the search of lookup_faq", (it) => {
  const inAccount = <A, E, R>(slug: string, self: Effect.Effect<A, E, R>) =>
    Effect.flatMap(TestTenancy.newAccount(slug), (entry) => TestTenancy.within(entry)(self))

  const hours = { question: "When are you open?", answer: "From nine to five." }
  const place = { question: "Where are you?", answer: "In Mill Lane 7, behind the station." }
  const parking = { question: "Is there a car park?", answer: "Yes, twenty places behind the house." }

  const first = (asked: string, ids: ReadonlyArray<string>) =>
    Effect.map(search(asked, ids), ([best]) => best?.question)

  it.effect("finds FAQs by other words, in spoken style and misspelt, and hardly ever answers what none does", () =>
    inAccount(
      "recall",
      Effect.gen(function* () {
        const recall = yield* FaqRecall.measure(search, yield* FaqRecall.write(askedFaqs))
        assert.strictEqual(recall.questions, 200)
        assert.isAtLeast(recall.at1, 0.88, recall.missed.join("\n"))
        assert.isAtLeast(recall.at3, 0.93, recall.missed.join("\n"))
        assert.isAtMost(recall.falseAnswers, 8)
      }),
    ),
  )

  it.effect("tells questions of stop words alone apart, and answers none that is not there", () =>
    inAccount(
      "stop-words",
      Effect.gen(function* () {
        const ids = yield* FaqRecall.write([hours, place, parking])
        assert.strictEqual(yield* first("where are you", ids), place.question)
        assert.strictEqual(yield* first("so when are you open then", ids), hours.question)
        for (const nothing of ["who is she", "why", "", "?!", "🙂", "'", "x".repeat(1_000)]) {
          assert.isUndefined(yield* first(nothing, ids), nothing)
        }
      }),
    ),
  )

  it.effect("takes two words for one and one for two, and a misspelt one for the nearest", () =>
    inAccount(
      "spelling",
      Effect.gen(function* () {
        const shop = { question: "Do you sell gift cards?", answer: "From ten euros." }
        const pay = { question: "Is PayPal accepted?", answer: "It is." }
        const ids = yield* FaqRecall.write([hours, place, parking, shop, pay])
        assert.strictEqual(yield* first("any giftcards", ids), shop.question)
        assert.strictEqual(yield* first("pay pal", ids), pay.question)
        assert.strictEqual(yield* first("is payapl acepted", ids), pay.question)
      }),
    ),
  )

  it.effect("looks among the FAQs that it is given, and follows a change of theirs", () =>
    inAccount(
      "own",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [open = "", where = ""] = yield* FaqRecall.write([hours, place])
        assert.deepStrictEqual(yield* search("when are you open", [where]), [])
        assert.deepStrictEqual(yield* search("when are you open", []), [])
        yield* sql`update faqs set question = 'Do you have a sauna?', answer = 'Yes.' where id = ${open}`
        assert.strictEqual(yield* first("sauna", [open, where]), "Do you have a sauna?")
        assert.isUndefined(yield* first("opening from nine to five", [open, where]))
        yield* sql`delete from faqs where id = ${open}`
        assert.isUndefined(yield* first("sauna", [open, where]))
      }),
    ),
  )

  it.effect("a server without the extensions finds words as they are spelt", () =>
    Effect.gen(function* () {
      const entry = yield* TestTenancy.newAccount("bare")
      const server = yield* DatabaseServer
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`drop extension pg_trgm cascade`
        yield* sql`drop extension fuzzystrmatch cascade`
      }).pipe(Effect.provide(ownersPool({ url: server.urlOf(entry.database), name: "test", maxConnections: 1 })))
      yield* Effect.gen(function* () {
        const ids = yield* FaqRecall.write([hours, place, parking])
        assert.strictEqual(yield* first("are you opne, I mean open", ids), hours.question)
        assert.isUndefined(yield* first("statoin", ids))
      }).pipe(TestTenancy.within(entry))
    }),
  )
})
