/**
 * Chats of the widget in an installation of two processes, which ask a model whose answers the tests script. A test may
 * start more processes, and stop them.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { wide } from "./Callers.ts"
import { agent } from "./Catalog.ts"
import { made } from "./Fixtures.ts"
import { type Fleet, fleet, type Member } from "./Fleet.ts"
import { modelServer } from "./ModelServer.ts"
import { type Client, speak } from "./TestServer.ts"
import { until } from "./Until.ts"
import { keyOf, type Page, sessionOf, visit } from "./WidgetPage.ts"

type Models = Effect.Success<ReturnType<typeof modelServer>>

export class Parts extends Context.Service<
  Parts,
  { readonly models: Models; readonly all: Fleet; readonly one: Member; readonly two: Member }
>()("test/Parts") {}

export const parts = Layer.effect(
  Parts,
  Effect.gen(function* () {
    const models = yield* modelServer([])
    const all = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fleet({ OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1`, PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }),
      ),
      ({ stop }) => Effect.promise(stop),
    )
    const one = yield* Effect.promise(all.join)
    const two = yield* Effect.promise(all.join)
    return { models, all, one, two }
  }),
)

/** A visitor's chat with an agent that has greeted, and what else the tests look at. */
export interface Stage {
  readonly models: Models
  readonly all: Fleet
  /** Two processes that live through all tests. */
  readonly one: Member
  readonly two: Member
  readonly account: string
  readonly owner: Client
  readonly agent_id: string
  readonly key: string
  /** Opens the widget's socket to this process. */
  readonly page: (at: Member, hello?: object, key?: string) => Promise<Page>
  /** Begins a chat at this process, and returns its page, which has seen the greeting. */
  readonly begun: (at: Member) => Promise<{ readonly page: Page; readonly id: string; readonly resume: string }>
  readonly find: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  /** How many slots the account's calls hold. */
  readonly slots: () => Promise<number>
  readonly query: (statement: string) => ReturnType<Fleet["query"]>
}

export const greeting = "Hello, this is Rosa."

export const linesOf = ({ heard }: Page) =>
  heard.flatMap((message) => (message.type === "line" ? [`${message.line} ${message.by}: ${message.text}`] : []))
export const wordsOf = ({ transcript }: typeof Call.Encoded) =>
  transcript.flatMap(({ role, text }: { readonly role: string; readonly text: string }) =>
    role === "tool" ? [] : [`${role}: ${text}`],
  )
/** The words of the conversation that the model read in its last request. */
export const readBy = ({ asked }: Models): ReadonlyArray<string> =>
  (asked.at(-1)?.body.messages ?? []).flatMap(
    ({ content, role }: { readonly content: unknown; readonly role: string }) =>
      role === "system" || content === "[The call is answered.]" ? [] : [`${role}: ${String(content)}`],
  )

export const staged = async ({ all, models, one, two }: Parts["Service"], body: (stage: Stage) => Promise<void>) => {
  const account = `m${crypto.randomUUID().slice(0, 8)}`
  const owner = await speak(two.url).ownerOf(account, wide)
  const model = { provider: "openai-compatible", id: "m" }
  const { id: agent_id } = made(await owner.post("/api/agents", { ...agent(), first_message: greeting, model }))
  const key = await keyOf(owner, agent_id)
  const page: Stage["page"] = async (at, hello = {}, other = key) =>
    visit(await sessionOf(speak(at.url), other), { hello })
  const find: Stage["find"] = async (id) => made(await owner.get(`/api/v1/calls/${id}`))
  const query: Stage["query"] = (statement) => all.query(account, statement)
  await body({
    models,
    all,
    one,
    two,
    account,
    owner,
    agent_id,
    key,
    page,
    find,
    query,
    begun: async (at) => {
      const first = await page(at)
      const { conversation, resume } = await first.next("ready")
      assert.strictEqual((await first.next("line")).text, greeting)
      return { page: first, id: conversation, resume }
    },
    ended: (id) =>
      until(async () => {
        const call = await find(id)
        return call.ended_at !== null && call
      }),
    slots: async () => Number((await query("select in_use from budget"))[0]?.["in_use"]),
  })
}
