/** Telephones that ring a Telnyx number: the carrier is a process of its own, whose webhooks may come twice. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import { caller, wide } from "../../support/Callers.ts"
import { CarrierProcess, telnyxCredentials, telnyxNumber } from "../../support/CarrierProcess.ts"
import { made } from "../../support/Fixtures.ts"
import { playedMs, Speech, streamedParley } from "../../support/StreamedParley.ts"
import { type Client, TestServer } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

interface Room {
  readonly owner: Client
  readonly carrier: CarrierProcess["Service"]
  readonly speech: Speech["Service"]
  /** The webhook of the application. */
  readonly url: string
  readonly number: { readonly id: string; readonly number: string }
  /** A telephone that behaves by these last digits calls the number; returns the carrier's name of the call. */
  readonly ring: (digits: string, change?: Record<string, string>) => Promise<string>
  readonly calls: () => Promise<ReadonlyArray<typeof Call.Encoded>>
}

let next = 72_000

it.layer(streamedParley(), { timeout: "120 seconds", excludeTestServices: true })("a telephone", (it) => {
  const test = (name: string, settings: object, body: (room: Room) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const { ownerOf, url } = yield* TestServer
          const carrier = yield* CarrierProcess
          const speech = yield* Speech
          yield* Effect.promise(async () => {
            await carrier.ask("POST", "/control", { reset: true })
            const owner = await ownerOf(`t${crypto.randomUUID().slice(0, 8)}`, { ...wide, ...settings })
            const { agent } = await caller(owner)
            const credentials = await telnyxCredentials(carrier)
            const { id, number } = await telnyxNumber(owner, credentials)
            made(await owner.put(`/api/phone-numbers/${id}`, { inbound_agent_id: agent.id }))
            const webhook = `${url}/carriers/telnyx/${owner.account}/voice`
            const ring: Room["ring"] = async (digits, change = {}) => {
              const from = `+1415${++next}${digits}`
              const call = { connection_id: credentials.connection_id, to: number, from, url: webhook, ...change }
              return (await carrier.ask("POST", "/ring", call)).sid
            }
            const calls: Room["calls"] = async () =>
              made(await owner.get("/api/v1/calls?direction=inbound")).items as ReadonlyArray<typeof Call.Encoded>
            await body({ owner, carrier, speech, url: webhook, number: { id, number }, ring, calls })
          })
        }),
      90_000,
    )

  test("is answered once by the number's agent, even if Telnyx announces the call several times", {}, async (room) => {
    await room.carrier.ask("POST", "/control", { callbacks: { storm: 3, reorder_ms: 500 } })
    const sid = await room.ring("00")
    const ended = await until(async () => (await room.calls()).find(({ ended_at }) => ended_at !== null))
    assert.include(ended, { direction: "inbound", outcome: "answered", to: room.number.number })
    const call = made(await room.owner.get(`/api/v1/calls/${ended.id}`))
    assert.include(["agent_hung_up", "caller_hung_up"], call.end_reason)
    const stream = (await room.carrier.ask("GET", "/streams")).find(({ call_sid }) => call_sid === sid)
    const greeting = room.speech.spoken.findLast(({ input }) => input.includes("this is Rosa"))
    assert.isTrue(stream !== undefined && playedMs(stream, greeting?.hz ?? 0) > (greeting?.ms ?? 0) - 100)
    assert.lengthOf(await room.calls(), 1)
    const ends = room.carrier.truth().filter((one) => one.sid === sid && one.event === "end")
    assert.lengthOf(ends, 1)
  })

  test(
    "gets the busy signal when the account has no slot, no agent answers, or the number is unknown",
    { concurrent_max: 1 },
    async (room) => {
      const endOf = (sid: string) =>
        until(() => room.carrier.truth().find((one) => one.sid === sid && one.event === "end"))
      const first = await room.ring("65")
      await until(async () => (await room.calls()).some(({ status }) => status === "in_progress"))
      assert.include(await endOf(await room.ring("65")), { status: "busy" })
      assert.lengthOf(await room.calls(), 1)
      await room.carrier.ask("POST", "/stream", { sid: first, hang_up: true })
      await until(async () => (await room.calls()).every(({ ended_at }) => ended_at !== null))
      assert.include(await endOf(await room.ring("65", { to: "+14155551234" })), { status: "busy" })
      made(await room.owner.put(`/api/phone-numbers/${room.number.id}`, { inbound_agent_id: null }))
      assert.include(await endOf(await room.ring("65")), { status: "busy" })
    },
  )

  test("is not answered when its webhook is not signed for the number's account", {}, async (room) => {
    const payload = { call_control_id: "v3:1", connection_id: "2000000000000001", direction: "incoming" }
    const body = JSON.stringify({
      data: { event_type: "call.initiated", payload: { ...payload, to: room.number.number } },
    })
    const headers = { "content-type": "application/json", "telnyx-timestamp": String(Math.floor(Date.now() / 1_000)) }
    for (const signature of ["", "AAAA"]) {
      const signed = { ...headers, "telnyx-signature-ed25519": signature }
      assert.strictEqual((await fetch(room.url, { method: "POST", body, headers: signed })).status, 403)
    }
    assert.lengthOf(await room.calls(), 0)
  })
})
