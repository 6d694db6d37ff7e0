/** Supervisors who take live calls over in the browser: voice calls of pages over real sockets, on both sides. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { wide } from "../support/Callers.ts"
import { type Campaigner, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { recordingOf } from "../support/Recording.ts"
import { type SpeechStandIn, speakingSettings, speechServer } from "../support/SpeechServer.ts"
import { supervise, wordsIn } from "../support/SupervisorPage.ts"
import { type Client, speak, TestServer } from "../support/TestServer.ts"
import { heard } from "../support/ToneCode.ts"
import { againUntil, until } from "../support/Until.ts"
import { call, type VoicePage } from "../support/VoicePage.ts"
import { keyOf, sessionOf, visit } from "../support/WidgetPage.ts"

let speech: SpeechStandIn
const server = Layer.unwrap(
  Effect.map(speechServer, (opened) => {
    speech = opened
    return TestServer.layerWith(speakingSettings(opened))
  }),
)

const question = "what are your opening hours"

interface Stage {
  readonly own: Campaigner
  readonly owner: Client
  readonly url: string
  /** A visitor in a voice call whose agent has greeted, and the call's id. */
  readonly talk: (change?: object) => Promise<{ readonly visitor: VoicePage; readonly id: string }>
  readonly find: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  readonly session: () => ReturnType<typeof sessionOf>
}

const stage = (body: (stage: Stage) => Promise<void>) =>
  inAccountOfItsOwn(async (own, owner, { url }) => {
    const key = await keyOf(owner, own.line.agent_id)
    const session = () => sessionOf(speak(url), key)
    const talk = async (change: object = {}) => {
      made(await owner.put(`/api/agents/${own.line.agent_id}`, { recording: true, ...change }))
      const visitor = await call(await session())
      const { conversation } = await visitor.next("ready")
      await visitor.next("line")
      return { visitor, id: conversation }
    }
    const find = async (id: string) => made(await owner.get(`/api/v1/calls/${id}`))
    const ended = (id: string) =>
      until(async () => {
        const call = await find(id)
        return call.ended_at !== null && call
      })
    await body({ own, owner, url, session, talk, find, ended })
  })

type Sounding = Pick<VoicePage, "played" | "say" | "isSpeaking">

/** One page speaks until the other one hears these words. */
const hears = async (listener: Sounding, speaker: Sounding) => {
  const from = listener.played.length
  await againUntil(
    () => (speaker.isSpeaking() ? undefined : speaker.say(question)),
    () => wordsIn(listener, from).includes(question),
  )
}

const rolesOf = ({ transcript }: typeof Call.Encoded) => transcript.map(({ role }) => role)
const isSaid = (words: string) => until(() => speech.spoken.some(({ input }) => input.includes(words)))

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("taking a live call over", (it) => {
  const test = (name: string, body: (stage: Stage) => Promise<void>) => it.effect(name, () => stage(body), 120_000)

  test("connects the supervisor once the other side was told, until the call is handed back", async (stage) => {
    const { find, owner, talk, url } = stage
    const { id, visitor } = await talk()
    const supervisor = await supervise(url, owner, id)
    await supervisor.next("ready")
    await supervisor.next("connected")
    assert.include(
      (await find(id)).transcript.map(({ text }) => text).join(" ") + speech.spoken.map(({ input }) => input).join(" "),
      "I am connecting you with a colleague.",
    )
    await hears(visitor, supervisor)
    const asked = speech.spoken.length
    await hears(supervisor, visitor)
    await until(async () => rolesOf(await find(id)).includes("person"))
    await until(async () =>
      (await find(id)).transcript.some(({ role, text }) => role === "caller" && text.toLowerCase().includes(question)),
    )
    // The agent, which knows the answer, says nothing.
    assert.lengthOf(speech.spoken, asked)
    const { takeovers, transcript } = await find(id)
    assert.deepInclude(takeovers[0]!.by, { type: "person" })
    assert.isNull(takeovers[0]!.ended_at)
    assert.deepInclude(transcript.find(({ role }) => role === "person")!.by, { type: "person" })
    supervisor.send({ type: "hand_back" })
    assert.strictEqual((await supervisor.next("ended")).reason, "handed_back")
    await isSaid("I am back with you.")
    const from = visitor.heard.length
    await againUntil(
      () => visitor.say(question),
      () => visitor.heard.slice(from).some((one) => one.type === "line" && /nine to five/.test(one.text)),
    )
    visitor.send({ type: "end" })
    const call = await stage.ended(id)
    assert.isNotNull(call.takeovers[0]!.ended_at)
    // The recording has the person in place of the agent. A gap in the sound divides a word into two.
    const { left, right } = await recordingOf(stage, id)
    for (const side of [left, right]) {
      const words = heard(side, 16_000).split(" ")
      assert.include(words.filter((word, at) => word !== words[at - 1]).join(" "), question)
    }
    const { items } = made(await owner.get("/api/v1/audit?action=call.take_over"))
    assert.strictEqual(items[0]?.object?.id, id)
  })

  test("ends when the page vanishes: the agent takes the call back and says so", async ({ find, owner, talk, url }) => {
    const { id, visitor } = await talk()
    const supervisor = await supervise(url, owner, id)
    await supervisor.next("connected")
    supervisor.vanish()
    await isSaid("the connection to my colleague was lost")
    await until(async () => (await find(id)).takeovers[0]?.ended_at !== null)
    visitor.send({ type: "end" })
  })

  test("goes on over another socket of the same page, and ends with the call", async ({ owner, talk, url, ended }) => {
    const { id, visitor } = await talk()
    const supervisor = await supervise(url, owner, id)
    await supervisor.next("connected")
    supervisor.vanish()
    const again = await supervise(url, owner, id, supervisor.ticket)
    await again.next("connected")
    await hears(visitor, again)
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    assert.strictEqual((await again.next("ended")).reason, "call_ended")
    const { end_reason, takeovers } = await ended(id)
    assert.strictEqual(end_reason, "hung_up")
    assert.lengthOf(takeovers, 1)
  })

  test("is for one supervisor at a time, with the permission to write", async ({ owner, talk, url }) => {
    const { id, visitor } = await talk()
    const path = `/api/v1/calls/${id}/takeover` as const
    const keyWith = async (...scopes: ReadonlyArray<string>) =>
      made(await owner.post("/api/v1/api-keys", { name: scopes.join(" "), scopes })).key
    refused(await owner.post(path, undefined, { token: await keyWith("read", "dial") }), 403, "missing_scope")
    refused(await (await speak(url).ownerOf("stranger", wide)).post(path), 404, "not_found")
    const supervisor = await supervise(url, owner, id)
    await supervisor.next("connected")
    const other = await owner.post(path, undefined, { token: await keyWith("write") })
    refused(other, 409, "invalid_state")
    assert.include(JSON.stringify(other.body), "has taken the call over")
    visitor.send({ type: "end" })
    assert.strictEqual((await supervisor.next("ended")).reason, "call_ended")
    await until(async () => (await owner.post(path)).status === 409)
  })

  test("is bound by the agent's longest call", async ({ ended, owner, talk, url }) => {
    const { id } = await talk({ max_call_seconds: 30 })
    const supervisor = await supervise(url, owner, id)
    await supervisor.next("connected")
    assert.strictEqual((await supervisor.next("ended")).reason, "call_ended")
    assert.strictEqual((await ended(id)).end_reason, "max_duration")
  })

  test("ends when the supervisor's key does", async ({ owner, talk, url }) => {
    const { id, visitor } = await talk()
    const { id: key_id, key } = made(await owner.post("/api/v1/api-keys", { name: "desk", scopes: ["write"] }))
    const { token } = made(await owner.post(`/api/v1/calls/${id}/takeover`, undefined, { token: key }))
    const supervisor = await supervise(url, owner, id, token)
    await supervisor.next("connected")
    made(await owner.request("DELETE", `/api/v1/api-keys/${key_id}`))
    assert.strictEqual((await supervisor.next("ended")).reason, "lost")
    visitor.send({ type: "end" })
  })

  test("is refused for a written conversation and in the lab, with the reason", async ({ own, owner, session }) => {
    const chat = await visit(await session())
    const { conversation } = await chat.next("ready")
    await chat.next("line")
    const written = await owner.post(`/api/v1/calls/${conversation}/takeover`)
    refused(written, 409, "invalid_state")
    assert.include(JSON.stringify(written.body), "does not pass through Parley")
    const placed = made(await owner.post("/api/v1/calls", { ...own.line, to: "+14155550100" }))
    refused(await owner.post(`/api/v1/calls/${placed.id}/takeover`), 409, "invalid_state")
  })

  test("closes sockets that show no token, or say anything else", async ({ owner, talk, url }) => {
    const { id, visitor } = await talk()
    const unknown = await supervise(url, owner, id, "guessed")
    assert.strictEqual((await unknown.next("refused")).code, "takeover_unknown")
    for (const said of ["{", '{"type":"hello"}', "x".repeat(40_000), new Uint8Array(7)]) {
      const odd = await supervise(url, owner, id)
      await odd.next("ready")
      odd.send(said)
      assert.strictEqual((await odd.next("refused")).type, "refused")
    }
    visitor.send({ type: "end" })
  })
})
