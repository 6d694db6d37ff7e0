/** Telephones that ring Parley over a SIP trunk: whole processes, called by user agents and by bare sockets. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue, type Scope } from "effect"
import { caller, wide } from "../../support/Callers.ts"
import { campaignForm, made } from "../../support/Fixtures.ts"
import { offered, openAgent, openRaw, openRawAt } from "../../support/SipAgents.ts"
import { rtpPeerAt } from "../../support/RtpPeer.ts"
import { answeredNumber, endedCall, inboundCall, inviteFrom, ring } from "../../support/Ringing.ts"
import { SipRoomOfFile, stageInRoom, type StageInRoom } from "../../support/SipRoom.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { until } from "../../support/Until.ts"

const say = <A>(ask: () => Promise<A>) => Effect.promise(ask)

it.layer(SipRoomOfFile.layer, { timeout: "180 seconds", excludeTestServices: true })("a telephone", (it) => {
  const test = <A, E>(name: string, body: (room: StageInRoom) => Effect.Effect<A, E, Scope.Scope>) =>
    it.effect(name, () => Effect.flatMap(stageInRoom, body), 300_000)

  test("an agent answers a number, and the call is listed like any other", ({ parley, speech }) =>
    Effect.gen(function* () {
      const { owner, port } = yield* say(() => parley())
      const { agent, number } = yield* answeredNumber(owner)
      const phone = yield* openAgent()
      const { call, close, progress } = yield* ring(phone, port, number.number)
      assert.strictEqual((yield* progress)[0], 180)
      const { session } = yield* Fiber.join(call)
      yield* say(() => until(() => speech.spoken.some(({ input }) => input.includes("this is Rosa"))))
      const live = yield* inboundCall(owner, ({ transcript }) => transcript.length > 0)
      assert.include(live, { status: "in_progress" })
      assert.include(live, { direction: "inbound", to: number.number, from: "+14155550199", agent_id: agent.id })
      assert.include(live, { phone_number_id: number.id, campaign_id: null, contact_id: null })
      yield* close
      assert.isTrue(session.hasEnded)
      const end = yield* endedCall(owner)
      assert.include(end, { status: "completed", outcome: "answered", end_reason: "caller_hung_up" })
      assert.include(end.transcript[0], { role: "agent" })
      // Bare digits, and a caller who hides the number.
      const hidden = yield* ring(phone, port, number.number.slice(1), '"Anonymous" <sip:anonymous@anonymous.invalid>')
      yield* Fiber.join(hidden.call)
      yield* hidden.close
      yield* inboundCall(owner, ({ ended_at, from }) => ended_at !== null && from === null)
    }))

  test("a call over IPv6 is answered, and its sound goes over IPv6", ({ parley, speech }) =>
    Effect.gen(function* () {
      const { owner, port } = yield* say(() => parley())
      const { number } = yield* answeredNumber(owner, { server: "[0::1]", addresses: [] })
      const [phone, sound] = [yield* openAgent(), yield* rtpPeerAt("::1")]
      const offer = offered.replaceAll("IP4 127.0.0.1", "IP6 ::1").replace("40000", String(sound.port))
      const { call, close } = yield* ring(phone, port, number.number, undefined, { address: "::1", offer })
      const { answer } = yield* Fiber.join(call)
      assert.include(answer, "c=IN IP6 ::1")
      yield* say(() => until(() => speech.spoken.some(({ input }) => input.includes("this is Rosa"))))
      yield* say(() => until(() => sound.packets.some(({ payload }) => payload[80] !== 0xff)))
      yield* close
      assert.include(yield* endedCall(owner), { outcome: "answered", end_reason: "caller_hung_up" })
    }))

  test("refused calls get the status for their reason, and unknown senders get no answer", ({ parleyWith }) =>
    Effect.gen(function* () {
      const { owner, port, server } = yield* say(() => parleyWith({ PARLEY_SIP_NETWORKS: "127.0.0.1,127.0.0.2" }))
      const own = yield* answeredNumber(owner)
      const mute = yield* say(() => sipNumber(owner, "127.0.0.1:5060"))
      const elsewhere = yield* answeredNumber(owner, { server: "127.0.0.3" })
      const phone = yield* openAgent()
      const statusOf = (number: string) =>
        Effect.gen(function* () {
          const { call, close } = yield* ring(phone, port, number)
          const ended = yield* Effect.match(Fiber.join(call), {
            onFailure: ({ status }) => status,
            onSuccess: () => 200,
          })
          yield* close
          return ended
        })
      assert.strictEqual(yield* statusOf("+14155559999"), 404)
      assert.strictEqual(yield* statusOf(mute.number), 404)
      // The number's trunk is at another address.
      assert.strictEqual(yield* statusOf(elsewhere.number.number), 404)
      assert.strictEqual(yield* statusOf(own.number.number), 200)
      const stranger = yield* openRawAt("127.0.0.3")
      yield* stranger.send(inviteFrom(stranger, elsewhere.number.number), port)
      const narrow = yield* say(() => server.ownerOf("narrow", { ...wide, concurrent_max: 1 }))
      const full = yield* answeredNumber(narrow)
      const first = yield* ring(phone, port, full.number.number)
      yield* Fiber.join(first.call)
      assert.strictEqual(yield* statusOf(full.number.number), 486)
      yield* first.close
      const admin = yield* say(() => server.admin())
      made(yield* say(() => admin.put("/api/admin/accounts/narrow", { status: "suspended" }, { account: null })))
      // Other processes learn of it within seconds.
      const suspended = statusOf(full.number.number).pipe(Effect.repeat({ until: (status) => status === 403 }))
      assert.strictEqual(yield* suspended, 403)
      assert.strictEqual(yield* stranger.left, 0)
    }))

  test("a caller who gives up before the answer has a call that was not answered", ({ parley }) =>
    Effect.gen(function* () {
      const { owner, port } = yield* say(() => parley())
      const { number } = yield* answeredNumber(owner)
      const raw = yield* openRaw
      const invite = inviteFrom(raw, number.number)
      const text = invite.toString("latin1")
      yield* raw.send(invite, port)
      yield* raw.takeResponse
      const cancel = text
        .split("\r\n\r\n")[0]!
        .replace("INVITE sip", "CANCEL sip")
        .replace("1 INVITE", "1 CANCEL")
        .replace(/content-(?:type|length).*\r\n/gi, "")
      yield* raw.send(`${cancel.replace(/Content-Length: \d+/i, "Content-Length: 0")}\r\n\r\n`, port)
      const end = yield* endedCall(owner)
      assert.isTrue(["no_answer", "answered"].includes(end.outcome ?? ""))
    }))

  test("the agent knows a contact who calls back any number of the campaign's pool, and the campaign's counts do not change", ({
    parley,
    speech,
  }) =>
    Effect.gen(function* () {
      const { owner, port } = yield* say(() => parley())
      const far = yield* openAgent()
      const own = yield* say(() => caller(owner))
      // Nothing but its campaign's agent answers the number.
      const number = yield* say(() => sipNumber(owner, `127.0.0.1:${far.localPort("udp")}`))
      const other = yield* say(() => sipNumber(owner, `127.0.0.1:${far.localPort("udp")}`))
      const to = "+14155551234"
      const pool = { caller_numbers: JSON.stringify([other.id]) }
      const fields = {
        ...pool,
        name: "recall",
        agent_id: own.agent.id,
        phone_number_id: number.id,
        retries_per_contact: "0",
      }
      const form = campaignForm(fields, `phone_number,first_name\n${to},Ada\n`)
      const campaign = yield* say(async () => made(await owner.request("POST", "/api/v1/campaigns", { body: form })))
      yield* say(() => owner.post(`/api/v1/campaigns/${campaign.id}/start`))
      const rung = yield* Queue.take(far.calls)
      rung.refuse(486)
      const ended = yield* say(() =>
        until(async () => {
          const found = made(await owner.get(`/api/v1/campaigns/${campaign.id}`))
          return found.ended_at !== null && found
        }),
      )
      const back = yield* ring(far, port, other.number, `<sip:${to}@127.0.0.1>`)
      yield* Fiber.join(back.call)
      yield* say(() => until(() => speech.spoken.some(({ input }) => input.includes("Hello Ada"))))
      yield* back.close
      const call = yield* endedCall(owner)
      assert.include(call, { from: to, campaign_id: null, contact_id: null, outcome: "answered" })
      const after = made(yield* say(() => owner.get(`/api/v1/campaigns/${campaign.id}`)))
      assert.deepStrictEqual(after.counts, ended.counts)
    }))
})
