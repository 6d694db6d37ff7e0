import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SignJWT } from "jose"
import { v7 as uuidv7 } from "uuid"
import { defaultTheme } from "../../src/domain/DefaultWidgetTheme.ts"
import * as WidgetKeys from "../../src/identity/WidgetKeys.ts"
import { WidgetSessions } from "../../src/identity/WidgetSessions.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as TestTenancy from "../support/TestTenancy.ts"

const layer = WidgetSessions.layer.pipe(Layer.provideMerge(TestTenancy.layer))

const newAgent = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* sql`insert into agents ${sql.insert({
    id,
    name: `Nora ${id}`,
    description: "",
    system_prompt: "x",
    first_message: "",
    language: "en",
    voice: json({ provider: "lab", id: "default", speed: 1 }),
    model: json({ provider: "scripted", id: "scripted" }),
    temperature: 0.5,
    max_call_seconds: 600,
    silence_timeout_seconds: 10,
    interruptible: true,
    voicemail_action: "hang_up",
    recording: false,
  })}`
  return id
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("a widget session (decisions §3)", (it) => {
  const begin = Effect.fnUntraced(function* (slug: string) {
    const sessions = yield* WidgetSessions
    const account = yield* TestTenancy.newAccount(slug)
    const key = yield* TestTenancy.within(account)(
      Effect.gen(function* () {
        const agent_id = yield* newAgent
        const wanted = {
          name: "w",
          kind: "secret",
          agent_id,
          origins: [],
          theme: defaultTheme,
          greeting: null,
        } as const
        return yield* WidgetKeys.create(wanted)
      }),
    )
    const about = { user: { id: "u-17" }, variables: { first_name: "Ada", visits: 3 } }
    const { token } = yield* (yield* sessions.enterByServer(key.key, Option.none()))(about)
    return { sessions, account, key, about, token }
  })

  it.effect("is read again as it was begun: account, agent, user and variables", () =>
    Effect.gen(function* () {
      const { about, account, key, sessions, token } = yield* begin("reads")
      const session = yield* sessions.open(token, Option.none())
      assert.strictEqual(session.account.id, account.id)
      assert.strictEqual(session.agent_id, key.agent_id)
      assert.deepStrictEqual({ user: session.user, variables: session.variables }, about)
    }),
  )

  it.effect("of a public key is for pages of its origins; of a secret one for any, unless it lists some", () =>
    Effect.gen(function* () {
      const page = "https://www.example.com"
      const { account, sessions } = yield* begin("origins")
      const keyed = (kind: "public" | "secret", origins: ReadonlyArray<string>) =>
        TestTenancy.within(account)(
          Effect.flatMap(newAgent, (agent_id) => WidgetKeys.create({ name: "o", kind, agent_id, origins })),
        )
      const open = (token: string, origin?: string) => sessions.open(token, Option.fromUndefinedOr(origin))
      const listed = yield* sessions.beginInPage((yield* keyed("public", [page])).key, Option.some(page))
      yield* open(listed.token, page)
      assert.strictEqual((yield* Effect.flip(open(listed.token, "https://evil.example")))._tag, "OriginForbidden")
      assert.strictEqual((yield* Effect.flip(open(listed.token)))._tag, "OriginForbidden")
      const about = { user: {}, variables: {} }
      const free = yield* (yield* sessions.enterByServer((yield* keyed("secret", [])).key, Option.none()))(about)
      yield* open(free.token, "https://anywhere.example")
      const bound = yield* (yield* sessions.enterByServer((yield* keyed("secret", [page])).key, Option.none()))(about)
      yield* open(bound.token, page)
      assert.strictEqual((yield* Effect.flip(open(bound.token, "https://evil.example")))._tag, "OriginForbidden")
    }),
  )

  it.effect("ends with its key", () =>
    Effect.gen(function* () {
      const { account, key, sessions, token } = yield* begin("ends")
      yield* TestTenancy.within(account)(WidgetKeys.remove(key.id))
      assert.strictEqual((yield* Effect.flip(sessions.open(token, Option.none())))._tag, "Unauthenticated")
    }),
  )

  it.effect("is over after five minutes", () =>
    Effect.gen(function* () {
      const { sessions, token } = yield* begin("over")
      const openAfter = Effect.fnUntraced(function* (seconds: number) {
        const clock = yield* Clock.Clock
        const then = clock.currentTimeMillisUnsafe() + seconds * 1000
        const later: Clock.Clock = Object.assign(Object.create(clock), { currentTimeMillis: Effect.succeed(then) })
        return yield* Effect.provideService(Effect.exit(sessions.open(token, Option.none())), Clock.Clock, later)
      })
      assert.isTrue(Exit.isSuccess(yield* openAfter(290)))
      assert.isTrue(Exit.isFailure(yield* openAfter(301)))
    }),
  )

  it.effect("of one account is none of another, and a forged one is none at all", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* begin("mine"), yield* begin("other")]
      const [, signed = ""] = /^[0-9a-f]{32}\.(.*)$/.exec(mine.token) ?? []
      const hex = (id: string) => id.replaceAll("-", "")
      const forged = yield* Effect.promise(() =>
        new SignJWT({ key: mine.key.id, agent: mine.key.agent_id, user: null, variables: {} })
          .setProtectedHeader({ alg: "HS256" })
          .setJti(uuidv7())
          .setExpirationTime("5m")
          .sign(new Uint8Array(32)),
      )
      for (const token of [
        `${hex(other.account.id)}.${signed}`,
        `${hex(mine.account.id)}.${forged}`,
        `${hex(uuidv7())}.${signed}`,
        signed,
        "",
        `${mine.token}x`,
      ]) {
        assert.strictEqual(
          (yield* Effect.flip(mine.sessions.open(token, Option.none())))._tag,
          "Unauthenticated",
          token,
        )
      }
    }),
  )
})
