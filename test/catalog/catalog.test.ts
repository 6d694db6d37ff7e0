import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { inject } from "vitest"
import * as AgentFaqs from "../../src/catalog/AgentFaqs.ts"
import * as AgentKit from "../../src/catalog/AgentKit.ts"
import * as AgentPlaybooks from "../../src/catalog/AgentPlaybooks.ts"
import * as Agents from "../../src/catalog/Agents.ts"
import * as AgentVersions from "../../src/catalog/AgentVersions.ts"
import { changesBetween } from "../../src/catalog/AgentVersionDiff.ts"
import { CatalogSettings } from "../../src/catalog/CatalogSettings.ts"
import * as Enablements from "../../src/catalog/Enablements.ts"
import * as Faqs from "../../src/catalog/Faqs.ts"
import * as PhoneNumbers from "../../src/catalog/PhoneNumbers.ts"
import * as Playbooks from "../../src/catalog/Playbooks.ts"
import * as Suppressions from "../../src/catalog/Suppressions.ts"
import * as Tools from "../../src/catalog/Tools.ts"
import { BuiltInTool } from "../../src/domain/Tool.ts"
import { E164 } from "../../src/domain/E164.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { dialler } from "../support/Principals.ts"
import * as TestTenancy from "../support/TestTenancy.ts"

const production = Layer.succeed(CatalogSettings, {
  voice: { provider: "lab", id: "default", speed: 1 },
  model: { provider: "scripted", id: "scripted" },
  plainHttp: false,
  labNumbers: false,
})

/** Runs the statement in the fiber's account, where the application's role may not. */
const asSuperuser = Effect.fnUntraced(function* (statement: string) {
  const url = new URL(inject("postgres"))
  url.pathname = `/${(yield* CurrentTenant).database}`
  const client = new pg.Client(url.href)
  yield* Effect.promise(async () => {
    await client.connect()
    await client.query(statement)
    await client.end()
  })
})

const secret = { type: "bearer", token: "open sesame" }
const hook = {
  name: "hook",
  description: "Calls.",
  implementation_type: "http",
  implementation_config: { url: "https://example.com", headers: { Cookie: "open sesame" }, authentication: secret },
} as const

it.layer(Layer.mergeAll(TestTenancy.layer, production, dialler), { timeout: "120 seconds", excludeTestServices: true })(
  "the catalog room",
  (it) => {
    const inAccount = <A, E, R>(slug: string, self: Effect.Effect<A, E, R>) =>
      Effect.flatMap(TestTenancy.newAccount(slug), (entry) => TestTenancy.within(entry)(self))

    it.effect("secrets are sealed in the database, and open for the call alone", () =>
      inAccount(
        "sealed",
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { id } = yield* Tools.create(hook)
          const [row] = yield* sql`select implementation_config::text as text from tools where id = ${id}`
          assert.notInclude(String(row?.text), "sesame")
          const { implementation_config } = yield* Tools.findToRun("hook")
          assert.deepInclude(implementation_config, { authentication: secret, headers: { Cookie: "open sesame" } })
        }),
      ),
    )

    it.effect("a mask keeps the very secret, while the rest of the config changes", () =>
      inAccount(
        "kept",
        Effect.gen(function* () {
          const { implementation_config } = yield* Tools.create(hook)
          const url = `${hook.implementation_config.url}/another/path`
          const changed = { ...implementation_config, url, headers: { Cookie: "another" } }
          yield* Tools.update("hook", { implementation_config: changed }, undefined)
          yield* Tools.update("hook", { description: "Changed." }, undefined)
          const open = (yield* Tools.findToRun("hook")).implementation_config
          assert.deepInclude(open, {
            url,
            authentication: secret,
            headers: { Cookie: "another" },
          })
        }),
      ),
    )

    it.effect("a sealed secret that is copied to another record does not open", () =>
      inAccount(
        "moved",
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Tools.create(hook)
          yield* Tools.create({ ...hook, name: "thief", implementation_config: { url: "https://thief.example" } })
          yield* sql`
            update tools set implementation_config = (select implementation_config from tools where name = 'hook')
            where name = 'thief'`
          assert.strictEqual((yield* Effect.exit(Tools.findToRun("thief")))._tag, "Failure")
        }),
      ),
    )

    it.effect("a client cannot write a value that looks sealed", () =>
      inAccount(
        "forged",
        Effect.gen(function* () {
          const carrier_config = { trunk: { $sealed: "v1.a.b" } }
          const number = { number: E164.make("+14155550100"), carrier: "sip", carrier_config } as const
          const refusal = yield* Effect.flip(PhoneNumbers.create(number))
          assert.strictEqual(refusal._tag, "Invalid")
        }),
      ),
    )

    it.effect("the carrier gets the credentials of a number, answers never do", () =>
      inAccount(
        "carrier",
        Effect.gen(function* () {
          const carrier_config = { account_sid: "AC1", auth_token: "open sesame" }
          const number = { number: E164.make("+14155550100"), carrier: "twilio", carrier_config } as const
          const { id } = yield* PhoneNumbers.create(number)
          assert.deepStrictEqual((yield* PhoneNumbers.findForCarrier(id)).carrier_config, carrier_config)
          assert.strictEqual((yield* PhoneNumbers.find(id)).carrier_config.auth_token, "********")
        }),
      ),
    )

    it.effect("in production an http tool needs https, and a lab number is a 400 unless PARLEY_LAB=1", () =>
      inAccount(
        "production",
        Effect.gen(function* () {
          const plain = { ...hook, implementation_config: { url: "http://example.com" } }
          assert.deepInclude(yield* Effect.flip(Tools.create(plain)), {
            errors: [{ pointer: "/implementation_config/url", detail: "must be an https URL" }],
          })
          const number = { number: E164.make("+14155550100"), carrier: "lab" } as const
          const refusal = yield* Effect.flip(PhoneNumbers.create(number))
          assert.include(refusal.message, "/carrier")
          const allowed = PhoneNumbers.create(number).pipe(
            Effect.updateService(CatalogSettings, (settings) => ({ ...settings, labNumbers: true })),
          )
          const { id } = yield* allowed
          // What is there already can still be edited after PARLEY_LAB is gone.
          assert.strictEqual((yield* PhoneNumbers.update(id, { label: "Desk" }, undefined)).label, "Desk")
        }),
      ),
    )

    it.effect("a version from before recording_notice has none, and its calls do not have the present one", () =>
      inAccount(
        "older",
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Agents.create({ name: "Rosa", system_prompt: "Hi", recording: true })
          yield* sql`
            update agent_contents
            set content = jsonb_set(content::jsonb, '{agent}', (content::jsonb -> 'agent') - 'recording_notice')::json`
          const changed = yield* Agents.update("Rosa", { recording_notice: "This call is recorded." }, undefined)
          assert.strictEqual(changed.version, 2)
          const noticeIn = (version: number) =>
            Effect.map(AgentKit.find("Rosa", version), ({ agent }) => agent.recording_notice)
          assert.strictEqual(yield* noticeIn(1), "")
          assert.strictEqual(yield* noticeIn(2), "This call is recorded.")
          const [before, after] = [yield* AgentVersions.find("Rosa", "1"), yield* AgentVersions.find("Rosa", "2")]
          assert.deepStrictEqual(yield* changesBetween(before, after), [
            {
              path: "/agent/recording_notice",
              kind: "changed",
              before: "",
              after: "This call is recorded.",
              diff: null,
            },
          ])
        }),
      ),
    )

    it.effect("an agent's kit: enabled tools with their config, playbooks in order, FAQs", () =>
      inAccount(
        "kit",
        Effect.gen(function* () {
          const agent = yield* Agents.create({ name: "Rosa", system_prompt: "Hi" })
          yield* Tools.create(hook)
          yield* Enablements.set("Rosa", { tool_name: "hook", config: { room: 1 } })
          yield* Enablements.set("Rosa", { tool_name: "end_call" })
          yield* Enablements.set("Rosa", { tool_name: "send_dtmf", enabled: false })
          for (const name of ["first", "second", "third"]) {
            yield* Playbooks.create({ name, prompt: name })
            yield* AgentPlaybooks.attach("Rosa", { playbook_id: name })
          }
          yield* AgentPlaybooks.attach("Rosa", { playbook_id: "first", position: 9 })
          yield* Faqs.create({ name: "robot", question: "Are you a robot?", answer: "Yes." })
          const { attachment } = yield* AgentFaqs.attach("Rosa", "robot")
          const kit = yield* AgentKit.find(agent.id)
          assert.strictEqual(kit.agent.name, "Rosa")
          assert.deepStrictEqual(
            kit.tools.map(({ config, name }) => [name, config]),
            [
              ["end_call", {}],
              ["hook", { room: 1 }],
            ],
          )
          assert.deepInclude(kit.tools[1]?.implementation_config, { authentication: secret })
          assert.deepStrictEqual(
            kit.playbooks.map(({ name }) => name),
            ["second", "third", "first"],
          )
          assert.deepStrictEqual(kit.faqs, [{ id: attachment.faq_id }])
        }),
      ),
    )

    it.effect("attachments that come at once get places of their own", () =>
      inAccount(
        "places",
        Effect.gen(function* () {
          yield* Agents.create({ name: "Rosa", system_prompt: "Hi" })
          const names = ["a", "b", "c", "d"]
          yield* Effect.forEach(names, (name) => Playbooks.create({ name, prompt: name }))
          const attached = yield* Effect.forEach(
            names,
            (name) => AgentPlaybooks.attach("Rosa", { playbook_id: name }),
            { concurrency: "unbounded" },
          )
          assert.sameMembers(
            attached.map(({ attachment }) => attachment.position),
            [0, 1, 2, 3],
          )
        }),
      ),
    )

    it.effect("every account begins with the built-in tools, each with a schema that a write would take", () =>
      inAccount(
        "shipped",
        Effect.gen(function* () {
          for (const name of BuiltInTool.literals) {
            const tool = yield* Tools.find(name)
            assert.deepInclude(tool, { is_default: true, implementation_code: null, modified_from_default: false })
            const { schema } = yield* Tools.update(name, { schema: tool.schema }, undefined)
            assert.deepStrictEqual(schema, tool.schema)
          }
          const { total } = yield* Tools.list({ page: 0, page_size: 100, is_default: true })
          assert.strictEqual(total, BuiltInTool.literals.length)
          for (const { name, prompt, tool_names } of (yield* Playbooks.list({ page: 0, page_size: 100 })).items) {
            yield* Playbooks.update(name, { prompt }, undefined)
            yield* Effect.forEach(tool_names, Tools.find)
          }
        }),
      ),
    )

    for (const status of ["draft", "running", "paused", "completed"] as const) {
      it.effect(`an agent and a number that a ${status} campaign names: deleted only when it has ended`, () =>
        inAccount(
          `campaign-${status}`,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const agent = yield* Agents.create({ name: "Rosa", system_prompt: "Hi" })
            const number = yield* PhoneNumbers.create({ number: E164.make("+14155550100"), carrier: "sip" })
            const ended = status === "completed" ? new Date() : null
            yield* sql`
              insert into campaigns (id, name, agent_id, phone_number_id, status, max_concurrent_calls,
                retries_per_contact, retry_delay_seconds, duplicate_policy, redial_unknown, columns, import, ended_at, end_reason)
              values (${agent.id}, 'Autumn', ${agent.id}, ${number.id}, ${status}, 1, 0, 0, 'skip', false,
                '{}', '{}', ${ended}, ${ended === null ? null : "finished"})`
            for (const remove of [Agents.remove("Rosa"), PhoneNumbers.remove(number.id)]) {
              const result = yield* Effect.result(remove)
              if (ended === null) assert.deepInclude(result, { _tag: "Failure" })
              else assert.deepInclude(result, { _tag: "Success" })
            }
          }),
        ),
      )
    }

    it.effect("a suppression counts until it expires, and that the person asked for it is not forgotten", () =>
      inAccount(
        "suppressed",
        Effect.gen(function* () {
          const phone_number = E164.make("+14155550132")
          const now = yield* DateTime.nowAsDate
          const yesterday = new Date(now.getTime() - 86_400_000)
          const tomorrow = new Date(now.getTime() + 86_400_000)
          assert.isFalse(yield* Suppressions.isSuppressed(phone_number))
          yield* Suppressions.add({ phone_number, source: "api", expires_at: yesterday })
          assert.isFalse(yield* Suppressions.isSuppressed(phone_number))
          yield* Suppressions.add({ phone_number, source: "api", expires_at: tomorrow })
          assert.isTrue(yield* Suppressions.isSuppressed(phone_number))
          yield* Suppressions.add({ phone_number, source: "call", reason: "Take me off" })
          const { created, suppression } = yield* Suppressions.add({ phone_number, source: "import" })
          assert.isFalse(created)
          assert.deepInclude(suppression, { source: "call", expires_at: null })
          yield* asSuperuser("alter table erased_suppressions rename to out_of_reach")
          assert.isTrue(Exit.isFailure(yield* Effect.exit(Suppressions.remove(phone_number))))
          yield* asSuperuser("alter table out_of_reach rename to erased_suppressions")
          assert.isTrue(yield* Suppressions.isSuppressed(phone_number), "a removal that failed removed nothing")
          yield* Suppressions.remove(phone_number)
          assert.isFalse(yield* Suppressions.isSuppressed(phone_number))
        }),
      ),
    )
  },
)
