/** Listening to live calls: voice calls of pages over real sockets, and readers that misbehave. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { Call } from "../../src/domain/Call.ts"
import { writeTo } from "../../src/http/CallListening.ts"
import { type Campaigner, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { listenTo } from "../support/Listener.ts"
import { refused } from "../support/Problems.ts"
import { openSocket, requestOf } from "../support/RawSocket.ts"
import { speakingSettings, speechServer } from "../support/SpeechServer.ts"
import { type Client, speak, TestServer } from "../support/TestServer.ts"
import { heard } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"
import { call, type VoicePage } from "../support/VoicePage.ts"
import { keyOf, sessionOf, visit } from "../support/WidgetPage.ts"

const server = Layer.unwrap(Effect.map(speechServer, (speech) => TestServer.layerWith(speakingSettings(speech))))

interface Stage {
  readonly own: Campaigner
  readonly owner: Client
  readonly url: string
  readonly session: () => ReturnType<typeof sessionOf>
  /** A page in a voice call whose agent has greeted, and the call's id. */
  readonly talk: () => Promise<{ readonly page: VoicePage; readonly id: string }>
  readonly find: (id: string) => Promise<typeof Call.Encoded>
}

const stage = (body: (stage: Stage) => Promise<void>) =>
  inAccountOfItsOwn(async (own, owner, { url }) => {
    const key = await keyOf(owner, own.line.agent_id)
    const session = () => sessionOf(speak(url), key)
    const talk = async () => {
      const page = await call(await session())
      const { conversation } = await page.next("ready")
      await page.next("line")
      return { page, id: conversation }
    }
    const find = async (id: string) => made(await owner.get(`/api/v1/calls/${id}`))
    await body({ own, owner, url, session, talk, find })
  })

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("listening to a live call", (it) => {
  it.effect("gives both sides in well under a second, and the call says who listened from when to when", () =>
    stage(async ({ find, owner, talk, url }) => {
      const { id, page } = await talk()
      const listener = await listenTo(url, owner, id)
      await until(async () => (await find(id)).listeners.length === 1)
      assert.isNull((await find(id)).listeners[0]!.ended_at)
      const said = performance.now()
      page.say("what are your opening hours")
      await until(() => listener.heardAt("left") !== undefined)
      assert.isBelow(listener.heardAt("left")! - said, 700)
      const answer = await page.next("line").then(() => page.next("line"))
      assert.match(answer.text, /nine to five/)
      const { left, right } = listener.sides()
      assert.strictEqual(listener.rate, 16_000)
      assert.strictEqual(heard(left, listener.rate), "what are your opening hours")
      assert.isTrue(right.some((sample) => Math.abs(sample) > 1_000))
      page.send({ type: "end" })
      await until(listener.isOver)
      const { listeners } = await until(async () => {
        const call = await find(id)
        return call.listeners[0]?.ended_at !== null && call
      })
      assert.lengthOf(listeners, 1)
      assert.deepInclude(listeners[0]!.listener, { type: "person" })
      assert.isAtLeast(Date.parse(listeners[0]!.ended_at!) - Date.parse(listeners[0]!.started_at), 1_000)
    }),
  )

  it.effect("goes on for one listener when another one is killed, and for the call in any case", () =>
    stage(async ({ find, owner, talk, url }) => {
      const { id, page } = await talk()
      const [one, other] = [await listenTo(url, owner, id), await listenTo(url, owner, id)]
      await until(() => one.sides().left.length > 0 && other.sides().left.length > 0)
      one.vanish()
      await until(async () => (await find(id)).listeners.filter(({ ended_at }) => ended_at !== null).length === 1)
      page.say("what are your opening hours")
      await page.next("line")
      await until(() => heard(other.sides().left, other.rate) === "what are your opening hours")
      page.send({ type: "end" })
      await until(other.isOver)
    }),
  )

  it.effect("is refused once ten listen, and possible again when one has left", () =>
    stage(async ({ owner, talk, url }) => {
      const { id } = await talk()
      const listeners = await Promise.all(Array.from({ length: 10 }, () => listenTo(url, owner, id)))
      const path = `/api/v1/calls/${id}/listen` as const
      refused(await owner.get(path), 409, "invalid_state")
      listeners[0]!.vanish()
      await until(() => listenTo(url, owner, id).catch(() => false))
      made(await owner.post(`/api/v1/calls/${id}/hangup`))
    }),
  )

  it.effect("is refused for a written conversation, for a call in the lab, after the end, and without the scope", () =>
    stage(async ({ own, owner, session, talk, url }) => {
      const chat = await visit(await session())
      const { conversation } = await chat.next("ready")
      refused(await owner.get(`/api/v1/calls/${conversation}/listen`), 409, "invalid_state")
      const placed = made(await owner.post("/api/v1/calls", { ...own.line, to: "+14155550100" }))
      refused(await owner.get(`/api/v1/calls/${placed.id}/listen`), 409, "invalid_state")
      const { id, page } = await talk()
      const path = `/api/v1/calls/${id}/listen` as const
      const { key: mute } = made(await owner.post("/api/v1/api-keys", { name: "mute", scopes: ["write", "dial"] }))
      refused(await owner.get(path, { token: mute }), 403, "missing_scope")
      const stranger = await speak(url).ownerOf("stranger")
      refused(await stranger.get(path), 404, "not_found")
      const { key } = made(await owner.post("/api/v1/api-keys", { name: "ears", scopes: ["read"] }))
      const listener = await listenTo(url, { ...owner, token: key }, id)
      assert.strictEqual((await fetch(`${url}${path}`, { method: "HEAD", headers: headersOf(owner) })).status, 200)
      const { listeners } = made(await owner.get(`/api/v1/calls/${id}`))
      assert.deepInclude(listeners[0]!.listener, { type: "api_key", name: "ears" })
      assert.lengthOf(listeners, 1)
      page.send({ type: "end" })
      await until(listener.isOver)
      await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).ended_at !== null)
      refused(await owner.get(path), 409, "invalid_state")
      refused(await owner.get("/api/v1/calls/none/listen"), 404, "not_found")
    }),
  )

  it.effect("costs the call nothing while a listener reads nothing", () =>
    stage(async ({ owner, talk, url }) => {
      const { id, page } = await talk()
      const deaf = await openSocket(url)
      deaf.pause()
      const headers = Object.entries(headersOf(owner)).map(([name, value]) => `${name}: ${value}`)
      deaf.write(requestOf(`/api/v1/calls/${id}/listen`, ["Host: localhost", ...headers]))
      await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).listeners.length === 1)
      page.say("what are your opening hours")
      await page.next("line")
      assert.match((await page.next("line")).text, /nine to five/)
      deaf.destroy()
      page.send({ type: "end" })
      await page.next("ended")
    }),
  )
})

const headersOf = ({ account, token }: Client) => ({
  authorization: `Bearer ${token}`,
  "x-account-id": account ?? "",
})

describe("a listener that takes nothing", () => {
  it.live(
    "holds back no more than the socket's own buffers, and is disconnected after ten seconds",
    () =>
      Effect.gen(function* () {
        const [server, response, deaf] = yield* Effect.promise(async () => {
          const server = createServer().listen(0, "127.0.0.1")
          await once(server, "listening")
          const asked = once(server, "request")
          const { port } = server.address() as { port: number }
          const deaf = await openSocket(`http://127.0.0.1:${port}`)
          deaf.pause()
          deaf.write(requestOf("/"))
          const [, response] = (await asked) as [unknown, ServerResponse]
          return [server, response, deaf] as const
        })
        let isTaken = false
        let taken = 0
        const part = new Uint8Array(512 * 1024)
        // Far more than a call's sound, so that the socket's own buffers fill at once.
        const take = () => {
          taken++
          isTaken = !isTaken
          return isTaken ? part : null
        }
        const writing = yield* Effect.forkChild(writeTo(response, { take, isOver: () => false, isLost: () => false }))
        yield* Effect.promise(() => until(() => response.writableLength > 0))
        const before = taken
        yield* Effect.sleep("2 seconds")
        assert.isAtMost(response.writableLength, 2 * part.length)
        // It is still being drained.
        assert.isAbove(taken - before, 40)
        yield* Effect.timeout(Fiber.join(writing), "30 seconds")
        assert.isTrue(response.destroyed)
        deaf.destroy()
        server.close()
      }),
    60_000,
  )
})
