/** Calls over Twilio's media streams, against a carrier that is a process of its own and plays by its own clock. */
import { assert, it } from "@effect/vitest"
import type { WebSocket } from "ws"
import { caller } from "../../support/Callers.ts"
import { assertTalkedThrough, credentials, twilioNumber } from "../../support/CarrierProcess.ts"
import { made } from "../../support/Fixtures.ts"
import { longestTick, mostMs } from "../../support/LongestTick.ts"
import { signed, socketTo } from "../../support/SignedSocket.ts"
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
import { until } from "../../support/Until.ts"

const numberOf: StreamedRoom.NumberOf = (owner) => twilioNumber(owner, { ...credentials, calls_per_second: 100 })
const roomed = (body: (room: Room) => Promise<void>) => StreamedRoom.roomed(numberOf, body)

it.layer(streamedParley(), { timeout: "120 seconds", excludeTestServices: true })("a streamed call", (it) => {
  const test = (name: string, body: (room: Room) => Promise<void>) => it.effect(name, () => roomed(body), 120_000)

  test("is conducted in this installation's voice, and hung up when the last words were heard", async (room) => {
    const { caller, place, speech, stream } = room
    const id = await place("00")
    const call = await caller.ended(id)
    assertTalkedThrough(call)
    const heard = await stream(id)
    const ofCaller = call.transcript.filter(({ role }) => role === "caller").map(({ text }) => text)
    assert.deepStrictEqual(ofCaller.slice(0, 3), ["Hello.", "Yes.", "Yes."])
    const sentences = speech.spoken.filter(({ input }) => call.transcript.some(({ text }) => text.includes(input)))
    assert.isAtLeast(sentences.length, 3)
    for (const { hz, input, ms } of sentences) assert.approximately(playedMs(heard, hz), ms, 60, input)
    assert.strictEqual(heard.end?.how, "left")
    assert.include(heard.counts, { odd: 0, marks_early: 0 })
    assert.lengthOf(endsOf(room, id), 1)
    const agent = call.transcript.filter(({ role }) => role === "agent").at(-1)
    assert.approximately(agent?.ended_ms ?? 0, lastPlayed(heard), 1_500)
  })

  test("falls silent when the caller speaks, and says no more of that reply", async (room) => {
    const { place, order, scripted, speech, stream } = room
    const reply = "This is a very long answer that goes on and on for as long as anybody could want to listen to it."
    const agent = await scripted([{ says: reply }, { says: "Of course." }], {})
    const id = await place("65", agent)
    await stream(id, hasGreeted)
    await order(id, { say: "what are your opening hours" })
    const tone = await until(() => speech.spoken.find(({ input }) => input.startsWith("This is"))?.hz)
    await stream(id, (stream) => playedMs(stream, tone) > 1_500)
    await order(id, { say: "stop wait please stop" })
    const cut = await stream(id, ({ clears, played, said }) => {
      const answered = speech.spoken.find(({ input }) => input === "Of course.")
      return clears.length > 0 && said.length === 2 && played.some(({ hz }) => hz === answered?.hz)
    })
    // Nothing of it is played once the order to drop it has arrived, but for the frame that is being played.
    const silentAt = cut.played.findLast(({ hz }) => hz === tone)?.to ?? 0
    assert.isAtMost(silentAt, (cut.clears.at(-1)?.at ?? 0) + 40)
    const rest = speech.spoken.find(({ input }) => input !== reply && reply.endsWith(input))
    assert.strictEqual(playedMs(cut, rest?.hz ?? 0), 0)
    // What is said is written once a second.
    const said = await until(async () => {
      const { transcript } = made(await room.owner.get(`/api/v1/calls/${id}`))
      return transcript.find(({ role, text }) => role === "agent" && text.startsWith("This is"))
    })
    assert.isTrue(reply.startsWith(said.text.replace(/[ .…—-]+$/u, "")), said.text)
    assert.isBelow(said.text.length, reply.length)
    await order(id, { hang_up: true })
    assert.include(await room.caller.ended(id), { end_reason: "caller_hung_up", outcome: "answered" })
  })

  test("goes on over a new stream when its transfer is not taken", async (room) => {
    const { carrier, place, order, scripted, speech, stream } = room
    const script = [
      { calls: [{ name: "transfer_call", args: { reason: "a person" } }] },
      { says: "One moment." },
      { says: "I am back." },
    ]
    const agent = await scripted(script, { transfer_call: { to: "+14155550100" } })
    const id = await place("65", agent)
    await stream(id, hasGreeted)
    await order(id, { say: "hello" })
    const streams = await until(async () => {
      const streams = await streamsOf(carrier, id)
      return streams.length === 2 && streams[1] !== undefined && hasPlayed(streams[1]) && streams
    })
    assert.strictEqual(streams[0]?.end?.how, "left")
    assert.notStrictEqual(streams[0]?.parameters["token"], streams[1]?.parameters["token"])
    const heard = speech.understood.length
    await order(id, { say: "thank you" })
    await until(() => speech.understood.length > heard)
    await order(id, { hang_up: true })
    assert.include(await room.caller.ended(id), { end_reason: "caller_hung_up" })
  })

  test("ends as transferred when the target takes it", async (room) => {
    const { place, order, scripted, stream } = room
    const script = [{ calls: [{ name: "transfer_call", args: { reason: "a person" } }] }, { says: "One moment." }]
    const id = await place("65", await scripted(script, { transfer_call: { to: "+14155550111" } }))
    await stream(id, hasGreeted)
    await order(id, { say: "hello" })
    assert.include(await room.caller.ended(id), { end_reason: "transferred", outcome: "answered" })
    assert.lengthOf(endsOf(room, id), 1)
  })

  test("is handed over to a person who presses 1, and both calls end when one hangs up", assertHandedOver)

  test("goes back to the agent when the person is busy, declines, or is a voicemail", async (room) => {
    await assertHandedBack(room, "+14155550170", { outcome: "busy", end_reason: "not_answered" })
    await assertHandedBack(room, "+14155550166", { outcome: "answered", end_reason: "not_taken" }, async (leg) => {
      await room.stream(leg, hasPlayed)
      await room.order(leg, { press: "2" })
    })
    await assertHandedBack(room, "+14155550180", { outcome: "voicemail", end_reason: "voicemail" })
  })

  test("can be taken over by a supervisor's page", assertTakenOver)

  test("presses keys by Twilio, and goes on over a new stream", async (room) => {
    const { place, order, scripted, speech, stream } = room
    const script = [{ calls: [{ name: "send_dtmf", args: { digits: "12w#" } }] }, { says: "I have pressed them." }]
    const id = await place("65", await scripted(script, { send_dtmf: {} }))
    const first = await stream(id, hasGreeted)
    await order(id, { say: "hello" })
    const tone = await until(() => speech.spoken.find(({ input }) => input === "I have pressed them.")?.hz)
    const second = await stream(id, (stream) => stream.sid !== first.sid && playedMs(stream, tone) > 500)
    assert.strictEqual(second.digits, "12w#")
    await order(id, { hang_up: true })
    await room.caller.ended(id)
  })

  test("collects digits from the caller's keys, and takes other keys as a turn", async (room) => {
    const { owner, place, order, scripted, speech, stream } = room
    const script = [
      { says: "Press your number.", calls: [{ name: "collect_digits", args: { name: "customer", max: 6 } }] },
      { says: "Thank you." },
      { says: "Sales it is." },
    ]
    const id = await place("65", await scripted(script, { collect_digits: {} }))
    await stream(id, hasGreeted)
    await order(id, { say: "hello" })
    const isSaid = (text: string) => until(() => speech.spoken.some(({ input }) => input === text))
    const tone = await until(() => speech.spoken.find(({ input }) => input === "Press your number.")?.hz)
    await stream(id, (stream) => playedMs(stream, tone) > 500)
    for (const press of "193746#") await order(id, { press })
    await isSaid("Thank you.")
    // Keys soon after a number are not shown: they may belong to it.
    await order(id, { press: "1" })
    await isSaid("Sales it is.")
    await order(id, { hang_up: true })
    const { tool_invocations, transcript } = await room.caller.ended(id)
    const result = { status: "collected", digits: 6, ended_by: "length", reference: "{{digits.customer}}" }
    assert.deepInclude(tool_invocations[0], { tool_name: "collect_digits", result })
    assert.include(
      transcript.filter(({ role }) => role === "caller").map(({ text }) => text),
      "[keys: 1 pressed, not shown]",
    )
    assert.notInclude(JSON.stringify(made(await owner.get(`/api/v1/calls/${id}`))), "1937")
  })

  test("ends as lost, and at Twilio too, when its socket breaks or is silent for ten seconds", async (room) => {
    const cut = await room.place("65")
    await room.stream(cut, hasPlayed)
    await room.order(cut, { cut: true })
    assert.include(await room.caller.ended(cut), { end_reason: "line_lost", outcome: "answered" })
    assert.lengthOf(endsOf(room, cut), 1)
    const mute = await room.place("65")
    await room.stream(mute)
    await room.order(mute, { mute: true })
    assert.include(await room.caller.ended(mute), { end_reason: "line_lost" })
  })

  test("is a voicemail when a machine's tone is heard on it", async (room) => {
    const agent = (await caller(room.owner, { voicemail_action: "leave_message", first_message: "Please call back." }))
      .agent
    const id = await room.place("80", agent.id)
    assert.include(await room.caller.ended(id), { outcome: "voicemail" })
    const tone = room.speech.spoken.findLast(({ input }) => input === "Please call back.")
    const heard = await room.stream(id)
    assert.approximately(playedMs(heard, tone?.hz ?? 0) % (tone?.ms ?? 1), 0, 60)
  })

  test("of a campaign of twenty counts as the carrier counts it", assertAsTheCarrierCounts)

  test("survives any messages of its stream, and ends", async (room) => {
    const sound = JSON.stringify({ event: "media", media: { payload: Buffer.alloc(160).toString("base64") } })
    const odd: ReadonlyArray<readonly [object, number]> = [
      [{ raw: "{" }, 1008],
      [{ raw: '{"event":"media","media":{"payload":7}}' }, 1008],
      [{ raw: "[".repeat(15_000) }, 1008],
      [{ raw: "x".repeat(20_000) }, 1009],
      [{ binary: true }, 1003],
      [{ raw: sound, times: 3_000 }, 1008],
      [{ raw: '{"event":"of another time"}', times: 3_000 }, 1008],
    ]
    const held = await longestTick(async () => {
      await Promise.all(
        odd.map(async ([order, code]) => {
          const id = await room.place("65")
          await room.stream(id, hasPlayed)
          await room.order(id, order)
          const { end } = await room.stream(id, ({ end }) => end !== null)
          assert.deepStrictEqual([end?.how, end?.code], ["closed", code], JSON.stringify(order).slice(0, 60))
          assert.include(await room.caller.ended(id), { end_reason: "line_lost" })
          assert.lengthOf(endsOf(room, id), 1)
        }),
      )
    })
    assert.isBelow(held, mostMs)
  })

  test("accepts no stream that is not signed, and one for each token", async (room) => {
    const own = signed(credentials.auth_token)
    const { carrier, owner, place, url } = room
    /** The path of the stream of a call that rings, for a second and a half. */
    const ringing = async () => {
      const id = await place("76")
      await until(() => carrier.truth(id).length > 1)
      return { id, path: `/carriers/twilio/${owner.account}/${id}/stream` }
    }
    const open = async (path: string) => (await socketTo(url, path, own(url, path))) as WebSocket
    const start = async (path: string, token: string) => {
      const socket = await open(path)
      const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 }
      const start = { mediaFormat, customParameters: { token } }
      socket.send(JSON.stringify({ event: "connected" }))
      socket.send(JSON.stringify({ event: "start", streamSid: "MZ1", start }))
      return socket
    }
    const closeOf = (socket: WebSocket) =>
      new Promise<string>((resolve) => socket.on("close", (code, reason) => resolve(`${code} ${reason}`)))

    const { path } = await ringing()
    assert.strictEqual(await socketTo(url, path, ""), 403)
    assert.strictEqual(await socketTo(url, path, signed("another token")(url, path)), 403)
    const other = path.replace(/[^/]+(?=\/stream$)/, crypto.randomUUID())
    assert.strictEqual(await socketTo(url, other, own(url, other)), 403)
    const plain = await owner.request("GET", path)
    assert.deepStrictEqual([plain.status, (plain.body as { code?: string }).code], [426, "invalid_request"])

    const silent = closeOf(await open((await ringing()).path))
    assert.match(await closeOf(await start((await ringing()).path, "guessed")), /^1008 The token is unknown, used/)

    const { id, path: pathOfTalk } = await ringing()
    const orders = await carrier.ask("GET", "/calls")
    const { twiml } = orders.find(({ order }) => order.status_callback.includes(id))!.order
    const talk = await start(pathOfTalk, / value="([^"]+)"/.exec(twiml)?.[1] ?? "")
    await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).status === "in_progress")
    assert.strictEqual(await socketTo(url, pathOfTalk, own(url, pathOfTalk)), 403)
    talk.terminate()
    await room.caller.ended(id)
    assert.match(await silent, /^1008 The stream did not start in time\./)
  })
})

it.layer(streamedParley({ PARLEY_STREAM_URL: "http://127.0.0.1:9" }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("a call whose stream cannot be opened", (it) => {
  it.effect(
    "is conducted with Twilio's own voice",
    () =>
      roomed(async (room) => {
        const id = await room.place("00")
        assertTalkedThrough(await room.caller.ended(id))
        const [stream, ...others] = await streamsOf(room.carrier, id)
        assert.deepStrictEqual([stream?.end?.how, others.length], ["refused", 0])
      }),
    120_000,
  )
})
