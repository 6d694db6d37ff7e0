/** Calls over Telnyx's media streams, against a carrier that is a process of its own and plays by its own clock. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { WebSocket } from "ws"
import { stateOf } from "../../../src/telephony/telnyx/TelnyxUrls.ts"
import { caller } from "../../support/Callers.ts"
import { assertTalkedThrough, telnyxCredentials, telnyxNumber } from "../../support/CarrierProcess.ts"
import { made } from "../../support/Fixtures.ts"
import { realtimeServer, realtimeSettings, type RealtimeStandIn } from "../../support/RealtimeServer.ts"
import { playedMs, streamedParley, streamsOf } from "../../support/StreamedParley.ts"
import { assertHandedBack, assertHandedOver, assertTakenOver } from "../../support/StreamedPersons.ts"
import * as StreamedRoom from "../../support/StreamedRoom.ts"
import {
  assertAsTheCarrierCounts,
  endsOf,
  hasGreeted,
  hasPlayed,
  lastPlayed,
  type Room,
} from "../../support/StreamedRoom.ts"
import { againUntil, until } from "../../support/Until.ts"

const numberOf: StreamedRoom.NumberOf = async (owner, carrier) => telnyxNumber(owner, await telnyxCredentials(carrier))
const eventsOf = ({ carrier }: Room, call: string) => carrier.truth(call).map(({ event }) => event)

/** The account's key at Telnyx, of which a test has the private half. */
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const public_key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")

/** Sends a webhook as Telnyx would; `at` is in seconds. */
const send = async (url: string, content: object | string, key: KeyObject = privateKey, at = Date.now() / 1_000) => {
  const body = typeof content === "string" ? content : JSON.stringify(content)
  const timestamp = String(Math.floor(at))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString("base64")
  const headers = { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp }
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  })
  return response.status
}

const webhook = (event_type: string, payload: object) => ({
  data: { record_type: "event", event_type, id: crypto.randomUUID(), occurred_at: new Date().toISOString(), payload },
})

/** The status of the handshake: 101 for an open socket. */
const handshake = (url: string, token: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, { headers: { "x-telnyx-streaming-auth-token": token } })
    socket.on("error", () => {})
    socket.once("open", () => {
      resolve(101)
      socket.terminate()
    })
    socket.once("unexpected-response", (_, response) => resolve(response.statusCode ?? 0))
  })

let realtime: RealtimeStandIn

const server = Layer.unwrap(
  Effect.map(realtimeServer, (opened) => {
    realtime = opened
    return streamedParley(realtimeSettings(opened))
  }),
)

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("a call over Telnyx", (it) => {
  const test = (name: string, body: (room: Room) => Promise<void>) =>
    it.effect(name, () => StreamedRoom.roomed(numberOf, body), 120_000)

  test("is conducted in this installation's voice, and hung up when the last words were heard", async (room) => {
    const id = await room.place("00")
    const call = await room.caller.ended(id)
    assertTalkedThrough(call)
    const heard = await room.stream(id)
    const ofCaller = call.transcript.filter(({ role }) => role === "caller").map(({ text }) => text)
    // The hello may come before the webhook that tells of the answer.
    assert.deepStrictEqual(ofCaller.filter((text) => text !== "Hello.").slice(0, 2), ["Yes.", "Yes."])
    const sentences = room.speech.spoken.filter(({ input }) => call.transcript.some(({ text }) => text.includes(input)))
    assert.isAtLeast(sentences.length, 3)
    for (const { hz, input, ms } of sentences) assert.approximately(playedMs(heard, hz), ms, 60, input)
    assert.deepStrictEqual([heard.end?.how, heard.counts.odd, heard.counts.marks_early], ["left", 0, 0])
    assert.deepStrictEqual(eventsOf(room, id), ["create", "ring", "answer", "end"])
    const agent = call.transcript.filter(({ role }) => role === "agent").at(-1)
    assert.approximately(agent?.ended_ms ?? 0, lastPlayed(heard), 1_500)
  })

  test("is heard and spoken by the voice model of an agent that has one", async (room) => {
    const model = { provider: "openai-realtime", id: "gpt-realtime" }
    realtime.stage.answer = () => ({ text: "We open at nine." })
    const id = await room.place("65", (await caller(room.owner, { model })).agent.id)
    const hertzOf = (heard: string) => until(() => realtime.stage.said.find(({ text }) => text === heard)?.hz)
    await room.stream(id, hasGreeted)
    await room.order(id, { say: "what are your opening hours" })
    const tone = await hertzOf("We open at nine.")
    await room.stream(id, (stream) => playedMs(stream, tone) > 500)
    await room.order(id, { hang_up: true })
    const { transcript } = await room.caller.ended(id)
    assert.isTrue(transcript.some(({ text }) => text === "What are your opening hours."))
  })

  test("falls silent when the caller speaks, and says no more of that reply", async (room) => {
    const reply = "This is a very long answer that goes on and on for as long as anybody could want to listen to it."
    const id = await room.place("65", await room.scripted([{ says: reply }, { says: "Of course." }], {}))
    await room.stream(id, hasGreeted)
    await room.order(id, { say: "what are your opening hours" })
    const tone = await until(() => room.speech.spoken.find(({ input }) => input.startsWith("This is"))?.hz)
    await room.stream(id, (stream) => playedMs(stream, tone) > 1_500)
    await room.order(id, { say: "stop wait please stop" })
    const cut = await room.stream(id, ({ clears, played, said }) => {
      const answered = room.speech.spoken.find(({ input }) => input === "Of course.")
      return clears.length > 0 && said.length === 2 && played.some(({ hz }) => hz === answered?.hz)
    })
    const silentAt = cut.played.findLast(({ hz }) => hz === tone)?.to ?? 0
    assert.isAtMost(silentAt, (cut.clears.at(-1)?.at ?? 0) + 40)
    await room.order(id, { hang_up: true })
    assert.include(await room.caller.ended(id), { end_reason: "caller_hung_up", outcome: "answered" })
  })

  test("goes on over the same stream when its transfer is not taken, and ends as transferred when it is", async (room) => {
    const script = [
      { calls: [{ name: "transfer_call", args: { reason: "a person" } }] },
      { says: "One moment." },
      { says: "I am back." },
    ]
    const id = await room.place("65", await room.scripted(script, { transfer_call: { to: "+14155550100" } }))
    await room.stream(id, hasGreeted)
    await room.order(id, { say: "hello" })
    const spoken = (text: string) => room.speech.spoken.find(({ input }) => input === text)
    const apology = await until(() => spoken("I am sorry, I could not put you through."))
    // Thanks that come while the agent speaks are an acknowledgement, and have no answer.
    await room.stream(id, (stream) => playedMs(stream, apology.hz) > apology.ms - 60)
    await againUntil(
      () => void room.order(id, { say: "thank you" }),
      () => spoken("I am back.") !== undefined,
    )
    const reply = await until(() => spoken("I am back."))
    await room.stream(id, (stream) => playedMs(stream, reply.hz) > 100)
    assert.lengthOf(await streamsOf(room.carrier, id), 1)
    await room.order(id, { hang_up: true })
    assert.include(await room.caller.ended(id), { end_reason: "caller_hung_up" })

    const [transfer, moment] = script
    const taken = await room.scripted([transfer!, moment!], { transfer_call: { to: "+14155550111" } })
    const next = await room.place("65", taken)
    await room.stream(next, hasGreeted)
    await room.order(next, { say: "hello" })
    assert.include(await room.caller.ended(next), { end_reason: "transferred", outcome: "answered" })
    // Parley hears nothing of what the two say: the stream is over, whoever ended it first.
    assert.include(["closed", "left"], (await room.stream(next, ({ end }) => end !== null)).end?.how)
    assert.lengthOf(endsOf(room, next), 1)
  })

  test("is handed over to a person who presses 1, and both calls end when one hangs up", assertHandedOver)

  test("goes back to the agent when the person declines", (room) =>
    assertHandedBack(room, "+14155550166", { outcome: "answered", end_reason: "not_taken" }, async (leg) => {
      await room.stream(leg, hasPlayed)
      await room.order(leg, { press: "2" })
    }))

  test("can be taken over by a supervisor's page", assertTakenOver)

  test("presses keys by Telnyx, and hears the caller's", async (room) => {
    const script = [
      { calls: [{ name: "send_dtmf", args: { digits: "12w#" } }] },
      { says: "I have pressed them." },
      { says: "Sales it is." },
    ]
    const id = await room.place("65", await room.scripted(script, { send_dtmf: {} }))
    await room.stream(id, hasGreeted)
    await room.order(id, { say: "hello" })
    const tone = await until(() => room.speech.spoken.find(({ input }) => input === "I have pressed them.")?.hz)
    const stream = await room.stream(id, (stream) => playedMs(stream, tone) > 500)
    assert.strictEqual(stream.digits, "12w#")
    await room.order(id, { press: "1" })
    await until(() => room.speech.spoken.some(({ input }) => input === "Sales it is."))
    await room.order(id, { hang_up: true })
    const { transcript } = await room.caller.ended(id)
    assert.isTrue(transcript.some(({ role, text }) => role === "caller" && text.includes("keys: 1")))
  })

  test("is a voicemail when a machine's tone is heard on it", async (room) => {
    const voicemail = { voicemail_action: "leave_message", first_message: "Please call back." }
    const id = await room.place("80", (await caller(room.owner, voicemail)).agent.id)
    assert.include(await room.caller.ended(id), { outcome: "voicemail" })
  })

  test("ends as lost, and at Telnyx too, when its socket breaks", async (room) => {
    const id = await room.place("65")
    await room.stream(id, hasPlayed)
    await room.order(id, { cut: true })
    assert.include(await room.caller.ended(id), { end_reason: "line_lost", outcome: "answered" })
    assert.lengthOf(endsOf(room, id), 1)
  })

  test("of a campaign of twenty counts as the carrier counts it, in any order of its webhooks", async (room) => {
    await room.carrier.ask("POST", "/control", {
      callbacks: { duplicate: 0.5, reorder: 0.7, reorder_ms: 1_000, storm: 1 },
    })
    await assertAsTheCarrierCounts(room)
    await room.carrier.ask("POST", "/control", { reset: true })
    const calls = made(await room.owner.get("/api/v1/calls?page_size=100")).items
    const { refused } = (await room.carrier.ask("GET", "/counts")).callbacks
    await room.carrier.ask("POST", "/storm", { times: 2 })
    const settled = await until(async () => {
      const { callbacks } = await room.carrier.ask("GET", "/counts")
      return callbacks.waiting === 0 && callbacks
    })
    assert.strictEqual(settled.refused, refused)
    assert.deepStrictEqual(made(await room.owner.get("/api/v1/calls?page_size=100")).items, calls)
  })

  test("is found by its client_state when the answer to its order is lost, and never ordered twice", async (room) => {
    for (const fault of ["error_after", "cut_after"]) {
      // The list has more than one page, and is asked before the first webhook comes.
      await room.carrier.ask("POST", "/control", { create: { [fault]: 1 }, callbacks: { delay_ms: 3_000 } })
      const ids = await Promise.all([room.place("65"), room.place("66"), room.place("67")])
      await room.carrier.ask("POST", "/control", { reset: true })
      for (const id of ids) {
        await until(async () => made(await room.owner.get(`/api/v1/calls/${id}`)).status === "in_progress")
        made(await room.owner.post(`/api/v1/calls/${id}/hangup`))
        assert.include(await room.caller.ended(id), { outcome: "answered", end_reason: "hung_up" }, fault)
        assert.deepStrictEqual(eventsOf(room, id), ["create", "ring", "answer", "end"], fault)
      }
    }
    await room.carrier.ask("POST", "/control", { create: { error_before: 1 } })
    const never = await room.place("00")
    assert.include(await room.caller.ended(never), { outcome: "unknown", status: "failed" })
    assert.deepStrictEqual(eventsOf(room, never), [])
  })

  test("whose webhooks are lost ends as unknown, since Telnyx says only that it is over", async (room) => {
    await room.carrier.ask("POST", "/control", { callbacks: { drop: 1 } })
    const id = await room.place("70")
    assert.include(await room.caller.ended(id), { outcome: "unknown", status: "failed" })
    assert.deepStrictEqual(eventsOf(room, id), ["create", "end"])
  })

  test("is not changed by a webhook that is not signed for its number, or is old", async (room) => {
    const { owner, place, url } = room
    const own = { api_key: "KEYown_7777", connection_id: "7777", public_key }
    const number = await telnyxNumber(owner, own)
    const body = { agent_id: room.caller.agent.id, phone_number_id: number.id, to: "+14155590076" }
    const { id } = made(await owner.post("/api/v1/calls", body))
    await until(() => eventsOf(room, id).includes("ring"))
    const { sid } = room.carrier.truth(id)[0]!
    const path = `${url}/carriers/telnyx/${owner.account}/${id}/events`
    const payload = { call_control_id: sid, connection_id: "7777", client_state: stateOf(id) }
    const over = webhook("call.hangup", { ...payload, hangup_cause: "normal_clearing", sip_hangup_cause: "200" })
    const stranger = generateKeyPairSync("ed25519").privateKey
    assert.strictEqual(await send(path, over, stranger), 403)
    assert.strictEqual(await send(path, over, privateKey, Date.now() / 1_000 - 600), 403)
    const other = { ...over, data: { ...over.data, payload: { ...over.data.payload, connection_id: "1" } } }
    for (const content of [other, "{", "[]", "[".repeat(60_000), "\0"]) {
      assert.strictEqual(await send(path, content), 403, String(content).slice(0, 9))
    }
    assert.strictEqual(await send(path, "x".repeat(70_000)), 413)
    assert.strictEqual((await fetch(path, { method: "POST", body: new URLSearchParams() })).status, 415)
    assert.strictEqual(made(await owner.get(`/api/v1/calls/${id}`)).ended_at, null)
    // Signed, and of no call, or of no known kind.
    const unknown = `${url}/carriers/telnyx/${owner.account}/${crypto.randomUUID()}/events`
    assert.strictEqual(await send(unknown, over), 200)
    for (const [type, more] of [
      ["call.of.another.time", {}],
      ["call.hangup", { call_control_id: 7 }],
      ["call.answered", { client_state: "\u0000", call_control_id: "../.." }],
      ["streaming.failed", { stream_id: "x".repeat(5_000), failure_reason: "\0" }],
    ] as const) {
      assert.strictEqual(await send(path, webhook(type, { ...payload, ...more })), 200, type)
    }
    for (const account of ["nobody-at-all", "NO SLUG"]) {
      const elsewhere = `${url}/carriers/telnyx/${encodeURIComponent(account)}/${id}/events`
      assert.strictEqual(await send(elsewhere, over), 403)
    }
    made(await owner.post(`/api/v1/calls/${id}/hangup`))

    const talk = await place("65")
    const { url: stream } = await room.stream(talk, hasPlayed)
    assert.strictEqual(await handshake(stream, ""), 403)
    const ringing = await place("76")
    await until(() => eventsOf(room, ringing).includes("ring"))
    assert.strictEqual(await handshake(stream.replace(talk, ringing), "guessed"), 403)
    await owner.post(`/api/v1/calls/${ringing}/hangup`)
    await room.order(talk, { hang_up: true })
    await room.caller.ended(talk)
  })

  test("can be tested by a check of its number, whose credentials are masked", async ({ carrier, owner }) => {
    const own = await telnyxCredentials(carrier)
    const check = async (number: string, change: object = {}) => {
      const carrier_config = { ...own, ...change }
      const { id } = made(await owner.post("/api/phone-numbers", { number, carrier: "telnyx", carrier_config }))
      const { detail, ok } = made(await owner.post(`/api/phone-numbers/${id}/check`))
      return `${ok}: ${detail}`
    }
    const known = "Telnyx takes the API key, and the application and the number are in the account."
    assert.strictEqual(await check("+14155590100"), `true: ${known}`)
    assert.match(await check("+14155590198"), /^true: .* not assigned to the application/)
    assert.match(await check("+14155590199"), /^false: .* no such number/)
    assert.match(await check("+14155590101", { api_key: "wrong" }), /^false: Telnyx refuses the API key \(401\)/)
    assert.match(await check("+14155590102", { connection_id: "4041" }), /^false: .* no such Call Control application/)
    assert.match(await check("+14155590103", { connection_id: "4101" }), /^false: .* switched off/)

    const write = (carrier_config: object) =>
      owner.post("/api/phone-numbers", { number: "+14155590104", carrier: "telnyx", carrier_config })
    for (const [change, name] of [
      [{ api_key: "two\nlines" }, "api_key"],
      [{ connection_id: "../7" }, "connection_id"],
      [{ public_key: "short" }, "public_key"],
    ] as const) {
      const { body, status } = await write({ ...own, ...change })
      const pointers = body.errors?.map(({ pointer }) => pointer)
      assert.deepStrictEqual([status, pointers], [400, [`/carrier_config/${name}`]])
    }
    const number = made(await write(own))
    assert.deepStrictEqual(number.carrier_config, { ...own, api_key: "********" })
  })
})
