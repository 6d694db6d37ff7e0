/** Telephones that ring a Twilio number: the carrier is a process of its own, which asks what to do with each call. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import { caller, wide } from "../../support/Callers.ts"
import { CarrierProcess, credentials, twilioNumber } from "../../support/CarrierProcess.ts"
import { made } from "../../support/Fixtures.ts"
import { playedMs, Speech, streamedParley } from "../../support/StreamedParley.ts"
import { type Client, TestServer } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

interface Room {
  readonly owner: Client
  readonly carrier: CarrierProcess["Service"]
  readonly speech: Speech["Service"]
  /** Where the carrier asks what to do with calls to the number. */
  readonly voiceUrl: string
  readonly number: { readonly id: string; readonly number: string }
  /** A telephone that behaves by these last digits calls the number; returns the carrier's name of the call. */
  readonly ring: (digits: string, change?: Record<string, string>) => Promise<string>
  readonly calls: () => Promise<ReadonlyArray<typeof Call.Encoded>>
}

let next = 71_000

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
            const owner = await ownerOf(`t${crypto.randomUUID().slice(0, 8)}`, { ...wide, ...settings })
            const { agent } = await caller(owner)
            const { id, number } = await twilioNumber(owner)
            made(await owner.put(`/api/phone-numbers/${id}`, { inbound_agent_id: agent.id }))
            const voiceUrl = `${url}/carriers/twilio/${owner.account}/${id}/voice`
            const ring: Room["ring"] = async (digits, change = {}) => {
              const from = `+1415${++next}${digits}`
              const token = credentials.auth_token
              const call = { account_sid: credentials.account_sid, token, to: number, from, url: voiceUrl, ...change }
              return (await carrier.ask("POST", "/ring", call)).sid
            }
            const calls: Room["calls"] = async () =>
              made(await owner.get("/api/v1/calls?direction=inbound")).items as ReadonlyArray<typeof Call.Encoded>
            await body({ owner, carrier, speech, voiceUrl, number: { id, number }, ring, calls })
          })
        }),
      90_000,
    )

  test("is answered by the number's agent, which hangs it up at Twilio", {}, async (room) => {
    const sid = await room.ring("00")
    const ended = await until(async () => (await room.calls()).find(({ ended_at }) => ended_at !== null))
    assert.include(ended, { direction: "inbound", outcome: "answered", to: room.number.number })
    const call = made(await room.owner.get(`/api/v1/calls/${ended.id}`))
    assert.include(["agent_hung_up", "caller_hung_up"], call.end_reason)
    const stream = (await room.carrier.ask("GET", "/streams")).find(({ call_sid }) => call_sid === sid)
    const greeting = room.speech.spoken.findLast(({ input }) => input.includes("this is Rosa"))
    assert.isTrue(stream !== undefined && playedMs(stream, greeting?.hz ?? 0) > (greeting?.ms ?? 0) - 100)
    const ends = room.carrier.truth().filter((one) => one.sid === sid && one.event === "end")
    assert.lengthOf(ends, 1)
  })

  test(
    "gets the busy signal when the account has no slot, or no agent answers",
    { concurrent_max: 1 },
    async (room) => {
      const first = await room.ring("65")
      await until(async () => (await room.calls()).some(({ status }) => status === "in_progress"))
      const endOf = (sid: string) => room.carrier.truth().find((one) => one.sid === sid && one.event === "end")
      const second = await room.ring("65")
      const refused = await until(() => endOf(second))
      assert.include(refused, { status: "busy" })
      assert.lengthOf(await room.calls(), 1)
      await room.carrier.ask("POST", "/stream", { sid: first, hang_up: true })
      await until(async () => (await room.calls()).every(({ ended_at }) => ended_at !== null))
      made(await room.owner.put(`/api/phone-numbers/${room.number.id}`, { inbound_agent_id: null }))
      const third = await room.ring("65")
      assert.include(await until(() => endOf(third)), { status: "busy" })
    },
  )

  test("is not admitted if the request is not signed with the number's token", {}, async (room) => {
    const ask = async (url: string, signature: string, said = "") => {
      const body = new URLSearchParams({ CallSid: `CA${"1".repeat(32)}`, From: "+14155550100", SpeechResult: said })
      return (await fetch(url, { method: "POST", body, headers: { "x-twilio-signature": signature } })).status
    }
    assert.strictEqual(await ask(room.voiceUrl, ""), 403)
    assert.strictEqual(await ask(room.voiceUrl, "bm8="), 403)
    assert.strictEqual(await ask(room.voiceUrl.replace(room.number.id, crypto.randomUUID()), ""), 403)
    assert.strictEqual(await ask(room.voiceUrl.replace(room.number.id, "x"), ""), 403)
    assert.strictEqual(await ask(room.voiceUrl, "", "a".repeat(65_536)), 413)
    assert.strictEqual(await ask(room.voiceUrl.replace(/voice$/, "status"), "", "a".repeat(900_000)), 413)
    assert.lengthOf(await room.calls(), 0)
  })
})
