/** Calls over Twilio's media streams that go on in another process, over a stream to that process. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import * as Front from "../../chaos/Front.ts"
import { assertTalkedThrough, CarrierProcess, credentials, twilioNumber } from "../../support/CarrierProcess.ts"
import { made } from "../../support/Fixtures.ts"
import { type Pair, paired, ProcessPair } from "../../support/ProcessPair.ts"
import { Speech, streamsOf } from "../../support/StreamedParley.ts"
import { until } from "../../support/Until.ts"

/** The process that the carrier reaches, and the balancer through which it does. */
let reached = ""
let front: Front.Front

const reach = (url: string) => {
  reached = url
  front.cut()
}

const pair = Layer.unwrap(
  Effect.gen(function* () {
    const speech = yield* Speech
    front = yield* Effect.acquireRelease(
      Effect.promise(() => Front.start(() => [reached])),
      ({ stop }) => Effect.promise(stop),
    )
    return ProcessPair.layerWith({ PARLEY_PUBLIC_URL: front.url, SPEECH_BASE_URL: speech.url, DRAIN_SECONDS: "1" })
  }),
)
const layer = pair.pipe(Layer.provideMerge([CarrierProcess.layer, Speech.layer]))

it.layer(layer, { timeout: "180 seconds", excludeTestServices: true })("a streamed call", (it) => {
  const test = (name: string, body: (pair: Pair, staying: string) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const { url } = yield* ProcessPair
          reach(url)
          yield* paired(
            (owner) => twilioNumber(owner),
            (pair) => body(pair, url),
          )
        }),
      300_000,
    )

  const linesOf = ({ transcript }: typeof Call.Encoded) =>
    transcript.flatMap(({ role, text }) => (role === "tool" ? [] : [`${role}: ${text}`]))

  /** Ends the call's process in the middle of the talk, and asserts that the talk goes on in the other one. */
  const assertGoesOn = async (pair: Pair, id: string, end: () => void) => {
    const before = await until(async () => {
      const lines = linesOf(await pair.call(id))
      return lines.length >= 3 && lines
    })
    const ownerOf = () => pair.query(`select node_id from calls where id = '${id}'`)
    const owner = await ownerOf()
    end()
    const call = await pair.ended(id)
    assert.notDeepEqual(await ownerOf(), owner)
    assertTalkedThrough(call)
    const lines = linesOf(call)
    assert.deepStrictEqual(lines.slice(0, before.length), before)
    assert.lengthOf(
      lines.filter((line) => line.startsWith("agent: Hello there")),
      1,
    )
    // The times of both streams count from the answer.
    const ends = call.transcript.flatMap(({ ended_ms, role }) => (role === "tool" ? [] : [ended_ms]))
    assert.deepStrictEqual(
      ends,
      ends.toSorted((one, other) => one - other),
    )
    return call
  }

  const assertTwoStreams = async ({ carrier }: Pair, id: string) => {
    const [first, second, ...others] = await streamsOf(carrier, id)
    assert.isEmpty(others)
    assert.notStrictEqual(second?.url, first?.url)
    assert.lengthOf(
      carrier.truth(id).filter(({ event }) => event === "end"),
      1,
    )
  }

  test("goes on over a new stream when its process is killed", async (pair) => {
    const id = await pair.place("+14155580100")
    await assertGoesOn(pair, id, () => pair.placing.child.kill("SIGKILL"))
    await assertTwoStreams(pair, id)
  })

  test("goes on over a new stream when its process stops", async (pair) => {
    const id = await pair.place("+14155580100")
    await assertGoesOn(pair, id, () => pair.placing.child.kill("SIGTERM"))
    await assertTwoStreams(pair, id)
  })

  test("that came in goes on when the process that answered it is killed", async (pair, staying) => {
    const { account, agent, carrier, number, other, placing } = pair
    const { number: to } = made(await other.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: agent.id }))
    reach(await placing.ready)
    const { account_sid, auth_token: token } = credentials
    const url = `${front.url}/carriers/twilio/${account}/${number.id}/voice`
    const { sid } = await carrier.ask("POST", "/ring", { account_sid, token, to, from: "+14155580300", url })
    const id = await until(async () => {
      const { items } = made(await other.get("/api/v1/calls?direction=inbound"))
      return items[0]?.id as string | undefined
    })
    const call = await assertGoesOn(pair, id, () => {
      reach(staying)
      placing.child.kill("SIGKILL")
    })
    assert.include(call, { direction: "inbound", from: "+14155580300" })
    assert.lengthOf(
      carrier.truth().filter((one) => one.sid === sid && one.event === "end"),
      1,
    )
  })
})
