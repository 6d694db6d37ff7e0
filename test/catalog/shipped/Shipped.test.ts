/** What every account is given: it loads, renders, names what is there, and gives way to what the account made of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { cuesOf } from "../../../src/brain/scripted/Cues.ts"
import * as Shipped from "../../../src/catalog/shipped/Shipped.ts"
import * as Template from "../../../src/catalog/Template.ts"
import { analyse } from "../../../src/catalog/TemplateVariables.ts"
import { Budget } from "../../../src/offload/Budget.ts"

const parsed = (template: string) => analyse(template, new Budget(10_000_000))
import { BuiltInTool } from "../../../src/domain/Tool.ts"
import { AccountMigrations } from "../../../src/tenancy/AccountMigrations.ts"
import { PlatformDatabase } from "../../../src/tenancy/PlatformDatabase.ts"
import { Shipped as Port } from "../../../src/tenancy/Shipped.ts"
import * as TestTenancy from "../../support/TestTenancy.ts"

/** A contact with everything that the texts name, and one with nothing. */
const contact = {
  first_name: "Ada",
  full_name: "Ada Lovelace",
  company: "Harbor Fleet Service",
  appointment: "Tuesday the fourteenth at half past three",
  location: "Pier 7",
  provider: "Robin",
  callback_number: "202 555 0142",
  opening_hours: "Monday to Friday from 7 to 6",
  amount_due: "120 dollars",
  invoice_number: "4711",
  due_date: "the first of March",
  interest: "a van with a lift",
  source: "our website",
  survey_topic: "the repair of last week",
  survey_minutes: "three",
  call_minutes: "three",
  call_reason: "It is about your van",
  payment_page: "our website",
}
const texts = [
  ...Shipped.playbooks.map(({ name, prompt }) => ({ name, text: prompt, most: 3_500 })),
  ...Shipped.faqs.map(({ answer, name }) => ({ name, text: answer, most: 400 })),
]

describe("what is shipped", () => {
  it("is what stands in the folder, under its heading", () => {
    const names = (folder: string) =>
      readdirSync(`src/catalog/shipped/${folder}`).map((file) => file.replace(/\.md$/u, ""))
    assert.sameMembers(
      Shipped.playbooks.map(({ name }) => name),
      names("playbooks"),
    )
    assert.sameMembers(
      Shipped.faqs.map(({ name }) => name),
      names("faqs"),
    )
    for (const { display_name, prompt } of Shipped.playbooks) {
      assert.isNotEmpty(display_name)
      assert.isNotEmpty(prompt)
    }
    for (const { answer, question } of Shipped.faqs) {
      assert.match(question, /\?$/u)
      assert.isNotEmpty(answer)
    }
  })

  it("names built-in tools alone", () => {
    for (const { name, prompt, tool_names } of Shipped.playbooks) {
      for (const tool of tool_names) assert.include(BuiltInTool.literals, tool, name)
      const mentioned = BuiltInTool.literals.filter((tool) => prompt.includes(tool))
      assert.sameMembers(mentioned, [...tool_names], `${name} speaks of the tools that it names, and of no other`)
    }
  })

  it.each(texts)("$name is short enough, and can do without every variable", ({ most, text }) => {
    assert.isAtMost(text.length, most)
    assert.deepStrictEqual(parsed(text).needs, [])
  })

  it("names variables of the example contact alone, so that none is misspelt", () => {
    const named = new Set(texts.flatMap(({ text }) => parsed(text).names))
    assert.sameMembers([...named], Object.keys(contact))
  })

  it.effect.each(texts)(
    "$name renders for who has everything and for who has nothing, and reads as a text",
    ({ text }) =>
      Effect.gen(function* () {
        for (const variables of [contact, {}]) {
          const rendered = yield* Template.render(text, variables)
          assert.notMatch(rendered, /[{}]|%\}|undefined| ,| \.(?!\w)|\.\.|\?\.|\S {2,}/u)
        }
      }),
  )

  it("asks the scripted brain's questions in order, each answer under a name of its own", () => {
    const asked = cuesOf(Shipped.playbooks.filter(({ name }) => name === "survey").map(({ prompt }) => prompt))
    assert.deepStrictEqual(
      asked.map(({ field, kind }) => [kind, field]),
      [
        ["ask", "recommend"],
        ["ask", "reason"],
        ["ask", "improve"],
      ],
    )
    for (const { prompt } of Shipped.playbooks) for (const { kind } of cuesOf([prompt])) assert.strictEqual(kind, "ask")
  })

  it("a message for a voicemail has nothing private in it, whatever the contact list knows", () => {
    const manners = Shipped.playbooks.find(({ name }) => name === "voicemail_manners")
    assert.sameMembers([...parsed(manners?.prompt ?? "").names], ["first_name", "company", "callback_number"])
  })

  it("the payment reminder speaks of money only after it has asked who is on the phone", () => {
    const prompt = Shipped.playbooks.find(({ name }) => name === "payment_reminder")?.prompt ?? ""
    for (const variable of ["amount_due", "invoice_number", "due_date"]) {
      assert.isAbove(prompt.indexOf(`{{ ${variable} }}`), prompt.indexOf("Ask: Am I speaking with"))
    }
  })

  it("is brought to every account by the newest migration that names it: words that change need a new one", () => {
    const named = readdirSync("migrations/tenant")
      .filter((file) => /^\d/.test(file))
      .toSorted()
      .flatMap((file) =>
        Array.from(
          readFileSync(`migrations/tenant/${file}`, "utf8").matchAll(/^-- Shipped content (\w+)/gmu),
          ([, digest]) => digest,
        ),
      )
    assert.strictEqual(named.at(-1), Shipped.digest)
  })
})

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "what an account has of it",
  (it) => {
    it.effect(
      "is there once however often it is written, and what the account changed or named before stays its own",
      () =>
        Effect.gen(function* () {
          const entry = yield* TestTenancy.newAccount("shipped")
          yield* TestTenancy.within(entry)(
            Effect.gen(function* () {
              const sql = yield* SqlClient.SqlClient
              const all = () =>
                sql<{ name: string; prompt: string; is_default: boolean; revision: number }>`
              select name, prompt, is_default, revision from playbooks order by name`
              yield* sql`
            insert into playbooks (id, name, display_name, description, prompt, tool_names, category)
            values (gen_random_uuid(), 'survey', 'Ours', '', 'Our own survey.', '{}', 'general')`
              yield* Shipped.write
              yield* sql`update playbooks set prompt = 'Ours.', modified_from_default = true where name = 'voicemail_manners'`
              yield* sql`
            update playbooks set name = 'persons_please', modified_from_default = true where name = 'ask_for_a_person'`
              yield* Shipped.write
              const once = yield* all()
              const of = (name: string) => once.find((playbook) => playbook.name === name)
              assert.deepInclude(of("survey"), { prompt: "Our own survey.", is_default: false })
              assert.deepInclude(of("voicemail_manners"), { prompt: "Ours." })
              assert.isDefined(of("persons_please"))
              assert.isUndefined(of("ask_for_a_person"))
              const optOut = Shipped.playbooks.find(({ name }) => name === "opt_out_manners")
              assert.deepInclude(of("opt_out_manners"), { prompt: optOut?.prompt ?? "", is_default: true })
              assert.isDefined(of("payment_reminder"))
              yield* Shipped.write
              assert.deepStrictEqual(yield* all(), once)
              const [faqs] = yield* sql`select count(*)::int as shipped from faqs where is_default`
              assert.strictEqual(faqs?.shipped, Shipped.faqs.length)
            }),
          )
        }),
    )
  },
)

const whole = TestTenancy.layer.pipe(Layer.provide(Layer.succeed(Port, Shipped)))

it.layer(whole, { timeout: "120 seconds", excludeTestServices: true })("a new account and an older one", (it) => {
  it.effect("have what is shipped from the first moment, and with the next schema", () =>
    Effect.gen(function* () {
      const entry = yield* TestTenancy.newAccount("older")
      const platform = yield* PlatformDatabase
      const inAccount = TestTenancy.within(entry)
      const promptOf = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ prompt: string }>`select prompt from playbooks where name = 'survey'`,
      )
      const expected = [{ prompt: Shipped.playbooks.find(({ name }) => name === "survey")?.prompt ?? "" }]
      assert.deepStrictEqual(yield* inAccount(promptOf), expected)
      yield* inAccount(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`update playbooks set prompt = 'As it was.' where name = 'survey'`,
        ),
      )
      yield* platform`update accounts set schema_version = 1 where slug = 'older'`
      yield* AccountMigrations.use(({ migrateAll }) => migrateAll)
      assert.deepStrictEqual(yield* inAccount(promptOf), expected)
    }),
  )
})
