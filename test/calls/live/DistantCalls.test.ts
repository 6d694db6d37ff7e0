/** Supervisors whose requests reach a process that does not conduct the call. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import { caller, wide } from "../../support/Callers.ts"
import { made } from "../../support/Fixtures.ts"
import { type Fleet, fleet, type Member } from "../../support/Fleet.ts"
import { listenTo } from "../../support/Listener.ts"
import { modelServer } from "../../support/ModelServer.ts"
import { refused } from "../../support/Problems.ts"
import { type SpeechStandIn, speakingSettings, speechServer } from "../../support/SpeechServer.ts"
import { supervise, wordsIn } from "../../support/SupervisorPage.ts"
import { type Client, speak } from "../../support/TestServer.ts"
import { heard } from "../../support/ToneCode.ts"
import { againUntil, until } from "../../support/Until.ts"
import { call, type VoicePage } from "../../support/VoicePage.ts"
import { keyOf, sessionOf, visit } from "../../support/WidgetPage.ts"

const question = "what are your opening hours"

interface Shared {
  readonly all: Fleet
  readonly speech: SpeechStandIn
  readonly models: Effect.Success<ReturnType<typeof modelServer>>
  /** Asks for and joins: processes that live through all tests. */
  readonly two: Member
  readonly three: Member
}
class Parts extends Context.Service<Parts, Shared>()("test/Parts") {}

const parts = Layer.effect(
  Parts,
  Effect.gen(function* () {
    const speech = yield* speechServer
    const models = yield* modelServer([])
    const settings = { ...speakingSettings(speech), OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1` }
    const all = yield* Effect.acquireRelease(
      Effect.sync(() => fleet(settings)),
      ({ stop }) => Effect.promise(stop),
    )
    const two = yield* Effect.promise(all.join)
    const three = yield* Effect.promise(all.join)
    return { all, speech, models, two, three }
  }),
)

interface Stage extends Shared {
  /** The process that conducts the call. */
  readonly conducting: Member
  /** The account's owner, through the second process. */
  readonly owner: Client
  readonly id: string
  readonly visitor: VoicePage
  /** Processes that a test may kill. They start before the call, which a visitor's silence of 12 s would end. */
  readonly others: ReadonlyArray<Member>
  readonly find: () => Promise<typeof Call.Encoded>
}

const findWith = (owner: Client, id: string) => async (): Promise<typeof Call.Encoded> =>
  made(await owner.get(`/api/v1/calls/${id}`))

/** The audited actions on the call. */
const auditOf = async (owner: Client, id: string, action: string) =>
  made(await owner.get(`/api/v1/audit?action=${action}`)).items.filter(({ object }) => object?.id === id)

const hears = async (listener: Pick<VoicePage, "played">, speaker: Pick<VoicePage, "say" | "isSpeaking">) => {
  const from = listener.played.length
  await againUntil(
    () => (speaker.isSpeaking() ? undefined : speaker.say(question)),
    () => wordsIn(listener, from).includes(question),
  )
}

it.layer(parts, { timeout: "120 seconds", excludeTestServices: true })("a call of another process", (it) => {
  const accountAt = ({ url }: Member) => speak(url).ownerOf(`d${crypto.randomUUID().slice(0, 8)}`, wide)

  /** A visitor in a voice call of a process, whose agent has greeted, with this many other processes to kill. */
  const test = (name: string, body: (stage: Stage) => Promise<void>, otherProcesses = 0) =>
    it.effect(
      name,
      () =>
        Effect.flatMap(Parts, (shared) =>
          Effect.promise(async () => {
            const conducting = await shared.all.join()
            const others = await Promise.all(Array.from({ length: otherProcesses }, shared.all.join))
            const owner = await accountAt(shared.two)
            const { agent } = await caller(owner)
            const key = await keyOf(owner, agent.id)
            const visitor = await call(await sessionOf(speak(conducting.url), key))
            const { conversation: id } = await visitor.next("ready")
            await visitor.next("line")
            await body({ ...shared, conducting, others, owner, id, visitor, find: findWith(owner, id) })
            conducting.child.kill("SIGTERM")
            await conducting.ended
          }),
        ),
      120_000,
    )

  test("is heard live, and its listener is recorded and audited", async ({ find, id, owner, two, visitor }) => {
    const path = `/api/v1/calls/${id}/listen` as const
    refused(await (await accountAt(two)).get(path), 404, "not_found")
    const listener = await listenTo(two.url, owner, id)
    await until(() => listener.sides().left.length > 0)
    assert.strictEqual(listener.rate, 16_000)
    const { listeners } = await find()
    assert.deepInclude(listeners[0]!, { ended_at: null })
    const said = performance.now()
    visitor.say(question)
    await until(() => listener.heardAt("left") !== undefined)
    assert.isBelow(listener.heardAt("left")! - said, 900)
    await until(() => heard(listener.sides().left, listener.rate) === question)
    await until(() => listener.heardAt("right") !== undefined)
    assert.lengthOf(await auditOf(owner, id, "call.listen"), 1)

    const others = await Promise.all(Array.from({ length: 9 }, () => listenTo(two.url, owner, id)))
    refused(await owner.get(path), 409, "invalid_state")
    others[0]!.vanish()
    await until(() => listenTo(two.url, owner, id).catch(() => false))

    visitor.send({ type: "end" })
    await until(listener.isOver)
    assert.isTrue(listener.isWhole())
    await until(async () => (await find()).listeners.every(({ ended_at }) => ended_at !== null))
    refused(await owner.get(path), 409, "invalid_state")
  })

  it.effect("is whispered to, twenty times a minute, and each whisper is audited", () =>
    Effect.flatMap(Parts, ({ models, three, two }) =>
      Effect.promise(async () => {
        const owner = await accountAt(two)
        const { agent } = await caller(owner, { model: { provider: "openai-compatible", id: "m" } })
        models.begin([{ says: "We have Friday." }])
        const page = await visit(await sessionOf(speak(three.url), await keyOf(owner, agent.id)))
        const { conversation: id } = await page.next("ready")
        await page.next("line")
        const find = findWith(owner, id)
        const path = `/api/v1/calls/${id}/whisper` as const
        made(await owner.post(path, { text: "Offer him Friday." }))
        page.write("When can I come?")
        await until(() => page.heard.some((one) => one.type === "line" && one.text.includes("Friday")))
        assert.include(String(models.asked.at(-1)?.body.messages?.[0]?.content), "Offer him Friday.")
        const whisper = (await find()).transcript.find(({ role }) => role === "whisper")
        assert.deepInclude(whisper!.by, { type: "person" })
        // As long as a whisper can be.
        made(await owner.post(path, { text: "\u0001".repeat(999) + "." }))
        for (let sent = 2; sent < 20; sent++) made(await owner.post(path, { text: `Again ${sent}.` }))
        refused(await owner.post(path, { text: "One more." }), 429, "rate_limited")
        assert.lengthOf(await auditOf(owner, id, "call.whisper"), 20)
        const listening = await owner.get(`/api/v1/calls/${id}/listen`)
        refused(listening, 409, "invalid_state")
        assert.include(JSON.stringify(listening.body), "does not pass through Parley")
        made(await owner.post(`/api/v1/calls/${id}/hangup`))
        refused(await owner.post(path, { text: "Too late." }), 409, "invalid_state")
      }),
    ),
  )

  test("is taken over through any two processes, and handed back", async (stage) => {
    const { find, id, owner, speech, three, two, visitor } = stage
    refused(await (await accountAt(two)).post(`/api/v1/calls/${id}/takeover`), 404, "not_found")
    const { token } = made(await owner.post(`/api/v1/calls/${id}/takeover`))
    const supervisor = await supervise(three.url, owner, id, token)
    assert.strictEqual((await supervisor.next("ready")).call_id, id)
    await supervisor.next("connected")
    await hears(visitor, supervisor)
    await hears(supervisor, visitor)
    await until(async () => {
      const roles = (await find()).transcript.map(({ role }) => role)
      return roles.includes("person") && roles.includes("caller")
    })
    const { takeovers } = await find()
    assert.deepInclude(takeovers[0]!.by, { type: "person" })
    assert.lengthOf(await auditOf(owner, id, "call.take_over"), 1)
    const { key } = made(await owner.post("/api/v1/api-keys", { name: "desk", scopes: ["write"] }))
    const other = await owner.post(`/api/v1/calls/${id}/takeover`, undefined, { token: key })
    refused(other, 409, "invalid_state")
    assert.include(JSON.stringify(other.body), "has taken the call over")

    // The page goes on over a socket of another process.
    supervisor.vanish()
    const again = await supervise(two.url, owner, id, token)
    await again.next("connected")
    await hears(again, visitor)
    again.send({ type: "hand_back" })
    assert.strictEqual((await again.next("ended")).reason, "handed_back")
    await until(() => speech.spoken.some(({ input }) => input.includes("I am back with you.")))
    await until(async () => (await find()).takeovers[0]?.ended_at !== null)
    const late = await supervise(three.url, owner, id, token)
    assert.strictEqual((await late.next("refused")).code, "takeover_unknown")
    visitor.send({ type: "end" })
  })

  test("is taken back by the agent when the supervisor's key ends", async ({ id, owner, three, visitor }) => {
    const { id: key_id, key } = made(await owner.post("/api/v1/api-keys", { name: "desk", scopes: ["write"] }))
    const { token } = made(await owner.post(`/api/v1/calls/${id}/takeover`, undefined, { token: key }))
    const supervisor = await supervise(three.url, owner, id, token)
    await supervisor.next("connected")
    made(await owner.request("DELETE", `/api/v1/api-keys/${key_id}`))
    assert.strictEqual((await supervisor.next("ended")).reason, "lost")
    visitor.send({ type: "end" })
  })

  test("is taken back by the agent when the process that answered the request is killed", async (stage) => {
    const { id, others, owner, three, visitor } = stage
    const asked = others[0]!
    const { token } = made(
      await (await speak(asked.url).ownerOf(owner.account, wide)).post(`/api/v1/calls/${id}/takeover`),
    )
    const supervisor = await supervise(three.url, owner, id, token)
    await supervisor.next("connected")
    asked.child.kill("SIGKILL")
    assert.strictEqual((await supervisor.next("ended")).reason, "lost")
    visitor.send({ type: "end" })
  }, 1)

  test("ends for its listener and its supervisor when its process is killed, and both are told", async (stage) => {
    const { conducting, id, owner, three, two } = stage
    const listener = await listenTo(two.url, owner, id)
    const { token } = made(await owner.post(`/api/v1/calls/${id}/takeover`))
    const supervisor = await supervise(three.url, owner, id, token)
    await supervisor.next("connected")
    await until(() => listener.sides().left.length > 0)
    conducting.child.kill("SIGKILL")
    await until(listener.isOver)
    assert.isFalse(listener.isWhole())
    assert.strictEqual((await supervisor.next("refused")).code, "call_elsewhere")
    const path = `/api/v1/calls/${id}/listen` as const
    await until(async () => JSON.stringify((await owner.get(path)).body).includes("invalid_state"))
  })

  test("goes on with its agent when the processes of its listener and its supervisor are killed", async (stage) => {
    const { conducting, find, id, others, owner, speech, visitor } = stage
    const [one, other] = [others[0]!, others[1]!]
    const ownerAt = ({ url }: Member) => speak(url).ownerOf(owner.account, wide)
    await listenTo(one.url, await ownerAt(one), id)
    const { token } = made(await owner.post(`/api/v1/calls/${id}/takeover`))
    const supervisor = await supervise(other.url, owner, id, token)
    await supervisor.next("connected")
    for (const { child } of others) child.kill("SIGKILL")
    await until(() => speech.spoken.some(({ input }) => input.includes("the connection to my colleague was lost")))
    await until(async () => (await find()).takeovers[0]?.ended_at !== null)
    // The listener's place is free again.
    const conductor = await ownerAt(conducting)
    const listeners = await Promise.all(
      Array.from({ length: 10 }, () => until(() => listenTo(conducting.url, conductor, id).catch(() => false))),
    )
    assert.lengthOf(listeners, 10)
    visitor.send({ type: "end" })
  }, 2)
})
