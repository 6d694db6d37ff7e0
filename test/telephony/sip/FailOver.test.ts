/** A trunk with several servers: a call goes to the next one if the first certainly did not get it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { ServiceRecords } from "../../../src/outbound/ServiceRecords.ts"
import type { Transport } from "../../../src/telephony/sip/Hop.ts"
import * as TrunkCheck from "../../../src/telephony/sip/TrunkCheck.ts"
import type { Request } from "../../../src/telephony/sip/Message.ts"
import { freePort } from "../../support/FreePorts.ts"
import { type Agent, answered, openAgent, openRaw, orderTo, respond, step } from "../../support/SipAgents.ts"

const trunkOver = (transport: Transport) => ({ host: "localhost", port: null, transport })

const agentWith = (...ports: ReadonlyArray<number>) => {
  const find = () => Effect.succeed(ports.map((port) => ({ host: "127.0.0.1", port })))
  return openAgent(undefined, null, Layer.succeed(ServiceRecords, { find, findServices: () => Effect.succeed([]) }))
}

const callFrom = Effect.fnUntraced(function* (agent: Agent, transport: Transport = "udp") {
  const hops = yield* Effect.orDie(agent.find(trunkOver(transport)))
  const order = yield* orderTo(agent, { localPort: () => hops[0].port }, transport, { hops })
  return yield* Effect.forkChild(Effect.result(agent.invite(order, () => {})))
})

/** In the order in which the next call tries them. */
const portsOf = (agent: Agent, transport: Transport = "udp") =>
  Effect.map(Effect.orDie(agent.find(trunkOver(transport))), (hops) => hops.map(({ port }) => port))

const answering = (server: Effect.Success<typeof openRaw>) =>
  Effect.gen(function* () {
    const invite: Request = yield* server.takeRequest("INVITE")
    yield* server.send(
      respond(invite, 200, { body: answered, fields: [server.contact()] }),
      Number(/:(\d+)/.exec(invite.fields.find(([name]) => name === "via")?.[1] ?? "")?.[1]),
    )
    return invite
  })

describe("a call over a trunk of two servers", () => {
  it.live("goes to the second one if nothing listens at the first, and the next call goes there at once", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.promise(freePort)
      const second = yield* openAgent()
      const port = second.localPort("tcp")
      const agent = yield* agentWith(closed, port)
      const call = yield* callFrom(agent, "tcp")
      const incoming = yield* Queue.take(second.calls)
      incoming.answer(answered)
      assert.strictEqual((yield* Fiber.join(call))._tag, "Success")
      assert.deepStrictEqual(yield* portsOf(agent, "tcp"), [port, closed])
    }).pipe(Effect.scoped),
  )

  it.effect("is given up if the first one is silent, which may have rung; the next call goes to the second", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* openRaw, yield* openRaw]
      const agent = yield* agentWith(first.localPort(), second.localPort())
      const call = yield* callFrom(agent)
      yield* step(() => call.pollUnsafe() !== undefined)
      const end = yield* Fiber.join(call)
      assert.deepInclude(end._tag === "Failure" ? end.failure : {}, { status: 0, detail: "the trunk did not answer" })
      assert.strictEqual(yield* second.left, 0)
      assert.deepStrictEqual(yield* portsOf(agent), [second.localPort(), first.localPort()])
    }).pipe(Effect.scoped),
  )

  it.live("goes to the second one if the first takes no calls at present, as one call", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* openRaw, yield* openRaw]
      const agent = yield* agentWith(first.localPort(), second.localPort())
      const call = yield* callFrom(agent)
      const refused = yield* first.takeRequest("INVITE")
      yield* first.send(respond(refused, 503), agent.localPort("udp"))
      yield* first.takeRequest("ACK")
      const invite = yield* answering(second)
      assert.strictEqual(invite.callId, refused.callId)
      assert.strictEqual((yield* Fiber.join(call))._tag, "Success")
    }).pipe(Effect.scoped),
  )

  it.live("ends with any other refusal of the first one, and rings no second person", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* openRaw, yield* openRaw]
      const agent = yield* agentWith(first.localPort(), second.localPort())
      const call = yield* callFrom(agent)
      yield* first.send(respond(yield* first.takeRequest("INVITE"), 486), agent.localPort("udp"))
      const end = yield* Fiber.join(call)
      assert.deepInclude(end._tag === "Failure" ? end.failure : {}, { status: 486 })
      assert.strictEqual(yield* second.left, 0)
    }).pipe(Effect.scoped),
  )

  it.live("is checked at the second one if nothing listens at the first", () =>
    Effect.gen(function* () {
      const second = yield* openAgent()
      const agent = yield* agentWith(yield* Effect.promise(freePort), second.localPort("tcp"))
      const rest = { credentials: null, from_domain: null, srtp: false, register: false, addresses: [] }
      const checked = yield* TrunkCheck.check(agent, { ...trunkOver("tcp"), ...rest }, "+14155550199")
      assert.isTrue(checked.ok, checked.detail)
    }).pipe(Effect.scoped),
  )
})
