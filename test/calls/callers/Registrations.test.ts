/** Numbers behind servers that deliver calls only where a number is registered: Parley as a process, the server as a bare socket. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type Field, fieldOf, type Request } from "../../../src/telephony/sip/Message.ts"
import { pauseAfter } from "../../../src/telephony/sip/TrunkRegistration.ts"
import { caller } from "../../support/Callers.ts"
import { made } from "../../support/Fixtures.ts"
import { refused } from "../../support/Problems.ts"
import { openRaw, respond } from "../../support/SipAgents.ts"
import { SipRoomOfFile, stageInRoom, type StageInRoom } from "../../support/SipRoom.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { telephone } from "../../support/Telephone.ts"
import type { Client } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

type Answer = (request: Request) => { readonly status: number; readonly fields: ReadonlyArray<Field> }

const challenge: ReadonlyArray<Field> = [
  ["www-authenticate", 'Digest realm="home", nonce="n1", algorithm=SHA-256, qop="auth"'],
]
/** Takes a password, and keeps a registration for so long. */
const taking =
  (seconds: number): Answer =>
  (request) =>
    fieldOf(request, "authorization") === undefined
      ? { status: 401, fields: challenge }
      : {
          status: 200,
          fields: [["contact", `${fieldOf(request, "contact")?.split(";expires")[0]};expires=${seconds}`]],
        }

/** A server of registrations, and those that it was sent. */
const registrar = Effect.fnUntraced(function* (answer: Answer) {
  const socket = yield* openRaw
  const requests: Array<Request> = []
  const serve = Effect.gen(function* () {
    const message = yield* socket.take
    if (message.kind !== "request") return
    const [{ port = 0 }] = message.vias
    if (message.method !== "REGISTER") return yield* socket.send(respond(message, 200), port ?? 0)
    requests.push(message)
    const { fields, status } = answer(message)
    yield* socket.send(respond(message, status, { fields }), port ?? 0)
  })
  yield* Effect.forkScoped(Effect.forever(serve))
  return { server: () => `127.0.0.1:${socket.localPort()}`, requests }
})

const credentials = { register: true, username: "house", password: "secret" }

const registeredNumber = async (owner: Client, server: string) => {
  const { agent } = await caller(owner)
  const number = await sipNumber(owner, server, credentials)
  return made(await owner.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: agent.id }))
}

/** The time for which a request registers. */
const secondsIn = (request: Request) => Number(/expires=(\d+)/.exec(fieldOf(request, "contact") ?? "")?.[1])
const succeeded = (requests: ReadonlyArray<Request>) =>
  requests.filter((request) => fieldOf(request, "authorization") !== undefined)

const options = { timeout: "180 seconds", excludeTestServices: true } as const

it("a failed registration is retried after growing pauses", () => {
  assert.deepStrictEqual([1, 2, 3, 6, 7, 2_000].map(pauseAfter), [5, 10, 20, 160, 300, 300])
})

it.layer(SipRoomOfFile.layer, options)("a number that has to be registered at its server", (it) => {
  const test = <E>(name: string, body: (room: StageInRoom) => Effect.Effect<void, E, Scope.Scope>) =>
    it.effect(name, () => Effect.flatMap(stageInRoom, body), 120_000)

  test("is registered with its password, called, renewed before it expires, and unregistered", ({ parley }) =>
    Effect.gen(function* () {
      const { requests, server } = yield* registrar(taking(20))
      const { owner, port } = yield* Effect.promise(() => parley())
      const number = yield* Effect.promise(() => registeredNumber(owner, server()))
      // The agent was set after the number was made: the last change counts.
      yield* Effect.promise(() => until(() => succeeded(requests).some((one) => secondsIn(one) > 0)))
      const [first] = requests
      assert.strictEqual(first!.to.uri, `sip:house@127.0.0.1`)
      assert.include(fieldOf(first!, "contact"), `<sip:${number.number}@127.0.0.1:${port}>;expires=600`)
      const check = async () => made(await owner.post(`/api/phone-numbers/${number.id}/check`))
      const { detail } = yield* Effect.promise(() => until(async () => (await check()).ok && check()))
      assert.match(detail, /The number is registered until \d{4}-/)
      const phone = yield* telephone(port)
      const answer = yield* phone.ring(number.number)
      assert.strictEqual(answer.status, 200)
      yield* phone.hangUp(answer)
      // Half of 20 s, as long as nothing else changes.
      const before = requests.length
      const last = requests.at(-1)!
      yield* Effect.promise(() => until(() => requests.length > before))
      const renewal = requests[before]!
      assert.deepStrictEqual([renewal.callId, renewal.cseq], [last.callId, last.cseq + 1])
      assert.include(fieldOf(renewal, "authorization"), "nc=00000002")
      yield* Effect.promise(async () => {
        const carrier_config = { server: server(), transport: "udp" }
        made(await owner.put(`/api/phone-numbers/${number.id}`, { carrier_config }))
        await until(() => secondsIn(requests.at(-1)!) === 0)
      })
    }))

  test("is registered by one process, by another one when that is killed, and by none after a stop", ({ pair }) =>
    Effect.gen(function* () {
      const { requests, server } = yield* registrar(taking(600))
      const both = yield* Effect.promise(pair)
      yield* Effect.promise(() => registeredNumber(both[0].owner, server()))
      yield* Effect.promise(() => until(() => succeeded(requests).length > 0))
      yield* Effect.sleep("6 seconds")
      const ports = () => new Set(requests.map((one) => one.vias[0].port))
      const [holder] = ports()
      assert.strictEqual(ports().size, 1)
      const held = both.find(({ port }) => port === holder)
      const other = both.find(({ port }) => port !== holder)
      held!.process.child.kill("SIGKILL")
      yield* Effect.promise(() => until(() => ports().has(other!.port)))
      other!.process.child.kill("SIGTERM")
      yield* Effect.promise(() => until(() => secondsIn(requests.at(-1)!) === 0))
      assert.strictEqual(yield* Effect.promise(() => other!.process.ended), 0)
    }))

  test("that is refused shows it in its check and in the log, and is retried", ({ parley }) =>
    Effect.gen(function* () {
      const { requests, server } = yield* registrar(() => ({ status: 403, fields: [] }))
      const { owner, process } = yield* Effect.promise(() => parley())
      const number = yield* Effect.promise(() => registeredNumber(owner, server()))
      yield* Effect.promise(() => until(() => requests.length >= 2))
      const { detail, ok } = yield* Effect.promise(async () =>
        made(await owner.post(`/api/phone-numbers/${number.id}/check`)),
      )
      assert.isFalse(ok)
      assert.include(detail, "The server refuses the registration (403 ")
      assert.match(process.said(), /WARN.*a SIP number is not registered/su)
    }))

  test("has a password", ({ parley }) =>
    Effect.promise(async () => {
      const { owner } = await parley()
      const config = { server: "sip.example.com", register: true }
      const form = { number: "+14155579999", carrier: "sip", carrier_config: config }
      refused(await owner.post("/api/phone-numbers", form), 400, "invalid_request", "/carrier_config/username")
    }))
})
