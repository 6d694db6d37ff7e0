/** Calls over a SIP trunk that is a process of its own: their outcomes, and kill -9 of the process that placed one. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import type { Call } from "../../../src/domain/Call.ts"
import { query } from "../../support/AccountDatabase.ts"
import { campaignForm, made } from "../../support/Fixtures.ts"
import { caller } from "../../support/Callers.ts"
import { refused } from "../../support/Problems.ts"
import { SipRoomOfFile, stageInRoom, type StageInRoom } from "../../support/SipRoom.ts"
import { sipNumber, SipTrunk } from "../../support/SipTrunk.ts"
import type { Client } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

interface Room extends StageInRoom {
  /** With what happened since the test began. */
  readonly trunk: SipTrunk["Service"]
}

const placer = async (owner: Client, server: string, agent: object = {}) => {
  const own = await caller(owner, agent)
  const number = await sipNumber(owner, server)
  const place = async (to: string): Promise<string> =>
    made(await owner.post("/api/v1/calls", { agent_id: own.agent.id, phone_number_id: number.id, to })).id
  const call = async (id: string): Promise<typeof Call.Encoded> => made(await owner.get(`/api/v1/calls/${id}`))
  return { ...own, number, place, call }
}

const layer = Layer.merge(SipRoomOfFile.layer, SipTrunk.layer)

it.layer(layer, { timeout: "180 seconds", excludeTestServices: true })("over a SIP trunk", (it) => {
  const test = (name: string, body: (room: Room) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const { server, truth } = yield* SipTrunk
          const before = truth().length
          const since = (to?: string) =>
            truth()
              .slice(before)
              .filter((event) => to === undefined || event.to === to)
          const room = yield* stageInRoom
          yield* Effect.promise(() => body({ ...room, trunk: { server, truth: since } }))
        }),
      300_000,
    )

  test("the trunk's response becomes the outcome of the call, and its faults are logged", async ({ parley, trunk }) => {
    const { owner, process } = await parley()
    const { ended, place } = await placer(owner, trunk.server)
    const expected = {
      1: ["completed", "answered"],
      2: ["failed", "busy"],
      3: ["failed", "rejected"],
      4: ["failed", "invalid_number"],
      5: ["failed", "no_answer"],
      6: ["failed", "carrier_error"],
      8: ["completed", "answered"],
      9: ["failed", "busy"],
    } as const
    const ends = await Promise.all(
      Object.entries(expected).map(async ([digit, [status, outcome]]) => {
        const call = await ended(await place(`+1415555010${digit}`))
        return { digit, got: [call.status, call.outcome], expected: [status, outcome] }
      }),
    )
    for (const { digit, expected, got } of ends) assert.deepStrictEqual(got, expected, `a number ending in ${digit}`)
    assert.match(process.said(), /WARN.*a call over a SIP trunk failed[^}]*status: 5\d\d/su)
    const { ended: endedPrivately, place: placePrivately } = await placer(owner, "10.0.0.7", { name: "private" })
    assert.include(await endedPrivately(await placePrivately("+14155550101")), { outcome: "carrier_error" })
    assert.match(process.said(), /a call over a SIP trunk failed.*why:.*PARLEY_SIP_NETWORKS/su)
    // Every answered call was acknowledged, and nothing was dialled twice.
    const invites = trunk.truth().filter(({ event }) => event === "invite")
    assert.strictEqual(new Set(invites.map(({ to }) => to)).size, invites.length)
    const count = (event: string) => trunk.truth().filter((one) => one.event === event).length
    assert.deepStrictEqual([count("answer"), count("acknowledged"), count("hung_up")], [2, 2, 2])
  })

  test("a call is conducted, and hung up by us at the trunk", async ({ parley, speech, trunk }) => {
    const { owner } = await parley()
    const { call, ended, place } = await placer(owner, trunk.server)
    const to = "+14155550120"
    const id = await place(to)
    await until(() => trunk.truth(to).some(({ event }) => event === "acknowledged"))
    await until(() => speech.spoken.some(({ input }) => input.includes("this is Rosa")))
    assert.strictEqual((await call(id)).status, "in_progress")
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    const talked = await ended(id)
    assert.include(talked, { status: "completed", outcome: "answered", end_reason: "hung_up" })
    // The trunk of the test sends no sound, and takes all of ours.
    assert.deepInclude(talked.sound, { received: 0, lost: 0, late: 0, mos: null })
    assert.isAbove(talked.sound!.sent, 10)
    assert.deepStrictEqual(talked.answered_by, { verdict: "unknown", evidence: [] })
    assert.deepStrictEqual(
      trunk.truth(to).map(({ event }) => event),
      ["invite", "answer", "acknowledged", "bye"],
    )
  })

  test("a ringing call is cancelled when it is hung up", async ({ parley, trunk }) => {
    const { owner } = await parley()
    const { call, ended, place } = await placer(owner, trunk.server)
    const to = "+14155550127"
    const id = await place(to)
    await until(async () => (await call(id)).status === "ringing")
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    assert.include(await ended(id), { status: "failed", outcome: "no_answer" })
    assert.deepStrictEqual(
      trunk.truth(to).map(({ event }) => event),
      ["invite", "cancel"],
    )
  })

  test("after kill -9 another process ends the call at the trunk, and only then settles it", async ({
    pair,
    speech,
    trunk,
  }) => {
    const [placing, other] = await pair()
    const { place } = await placer(placing.owner, trunk.server)
    const to = "+14155550130"
    const id = await place(to)
    const call = async () => made(await other.owner.get(`/api/v1/calls/${id}`))
    await until(async () => (await call()).status === "in_progress")
    await until(() => speech.spoken.length > 0)
    placing.process.child.kill("SIGKILL")
    const end = await until(async () => {
      const found = await call()
      return found.ended_at !== null && found
    })
    assert.include(end, { status: "completed", outcome: "answered", end_reason: "interrupted" })
    const last = trunk.truth(to).at(-1)
    assert.deepStrictEqual([last?.event, last?.port], ["bye", other.port])
  })

  test("after kill -9 another process stops the ringing, and does not settle the call at once", async ({
    accountDatabase,
    pair,
    trunk,
  }) => {
    const [placing, other] = await pair()
    const { place } = await placer(placing.owner, trunk.server)
    const to = "+14155550137"
    const id = await place(to)
    const call = async () => made(await other.owner.get(`/api/v1/calls/${id}`))
    await until(async () => (await call()).status === "ringing")
    // The INVITE is stored beside the call, which does not wait for it.
    const stored = "select from carrier_calls where call_id = $1 and invitation is not null"
    const database = await accountDatabase()
    await until(async () => (await query(database, stored, [id])).length > 0)
    placing.process.child.kill("SIGKILL")
    const cancelled = await until(() => trunk.truth(to).find(({ event }) => event === "cancel"))
    assert.strictEqual(cancelled.port, other.port)
    // An answer that crossed the CANCEL would live for 32 seconds: the slot is kept for as long.
    assert.isNull((await call()).ended_at)
    const end = await until(async () => {
      const found = await call()
      return found.ended_at !== null && found
    })
    assert.include(end, { status: "failed", outcome: "unknown", end_reason: "interrupted" })
    assert.deepStrictEqual(
      trunk.truth(to).map(({ event }) => event),
      ["invite", "cancel"],
    )
  })

  test("a campaign's results equal the trunk's own counts", async ({ parley, trunk }) => {
    const { owner } = await parley()
    const { agent, number } = await placer(owner, trunk.server)
    const digits = [..."11111111", ..."222", ..."333", ..."444", ..."555"]
    const contacts = digits.map((digit, at) => `+1415556${100 + at}${digit}`)
    const fields = { name: "over SIP", agent_id: agent.id, phone_number_id: number.id, retries_per_contact: "0" }
    const form = campaignForm(fields, `phone_number\n${contacts.join("\n")}\n`)
    const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body: form }))
    made(await owner.post(`/api/v1/campaigns/${id}/start`))
    await until(async () => made(await owner.get(`/api/v1/campaigns/${id}`)).ended_at !== null)
    const { items } = made(await owner.get(`/api/v1/campaigns/${id}/contacts?page_size=100`))
    const outcomes = new Map<string, string | null>(
      items.map(({ outcome, phone_number }) => [phone_number ?? "", outcome]),
    )
    const statuses = new Map([
      [486, "busy"],
      [603, "rejected"],
      [404, "invalid_number"],
      [480, "no_answer"],
    ])
    const truths = new Map<string, string>(
      trunk.truth().flatMap(({ event, status, to }) => {
        if (event === "answer") return [[to, "answered"] as const]
        return event === "refuse" ? [[to, statuses.get(status ?? 0) ?? ""] as const] : []
      }),
    )
    assert.strictEqual(truths.size, 20)
    assert.deepStrictEqual(Object.fromEntries(outcomes), Object.fromEntries(truths))
  })

  test("a check asks the trunk whether calls can be placed, and says what to change", async ({ parley, trunk }) => {
    const { owner } = await parley()
    const check = async (server: string) => {
      const { id } = await sipNumber(owner, server)
      return made(await owner.post(`/api/phone-numbers/${id}/check`))
    }
    const answering = await check(trunk.server)
    assert.isTrue(answering.ok, answering.detail)
    assert.match(answering.detail, /^The trunk answers \(200 OK\)/u)
    const silent = createSocket("udp4").bind(0, "127.0.0.1")
    await once(silent, "listening")
    const unanswered = await check(`127.0.0.1:${silent.address().port}`)
    silent.close()
    assert.isFalse(unanswered.ok)
    assert.match(unanswered.detail, /^The trunk did not answer within 5 s\. Check server, port and transport/u)
    const inside = await check("10.0.0.7")
    assert.isFalse(inside.ok)
    assert.match(inside.detail, /PARLEY_SIP_NETWORKS/u)
    const { id } = made(await owner.post("/api/phone-numbers", { number: "+14155570998", carrier: "sip" }))
    assert.include(made(await owner.post(`/api/phone-numbers/${id}/check`)), {
      ok: false,
      detail: "The number cannot dial: its carrier_config has no server.",
    })
  })

  test("a number without a server cannot be called from, and a wrong trunk is refused", async (room) => {
    const { parley, parleyWith, trunk } = room
    const { owner } = await parley()
    const { agent } = await caller(owner)
    const { id } = made(await owner.post("/api/phone-numbers", { number: "+14155570999", carrier: "sip" }))
    const body = { agent_id: agent.id, phone_number_id: id, to: "+14155550120" }
    const problem = refused(await owner.post("/api/v1/calls", body), 409, "invalid_state")
    assert.include(problem.detail, "its carrier_config has no server")
    const off = await parleyWith(null)
    const still = refused(await off.owner.post("/api/v1/calls", body), 409, "invalid_state")
    assert.include(still.detail, "set PARLEY_SIP_PORT")
    for (const server of ["[2001:db8::1", "2001:db8::1:g", "[sip.example.com]:5060", "[::1]:0", "::1%eth0"]) {
      const body = { carrier_config: { server, addresses: ["2001:db8::2", "192.0.2.1"] } }
      const answer = refused(await owner.put(`/api/phone-numbers/${id}`, body), 400, "invalid_request")
      assert.deepStrictEqual(
        (answer.errors ?? []).map(({ pointer }) => pointer),
        ["/carrier_config/server"],
        server,
      )
    }
    const wrong = { server: "sip.example.com:99999", transport: "sctp", username: "u", srtp: "yes", addresses: ["x"] }
    const answer = refused(
      await owner.put(`/api/phone-numbers/${id}`, { carrier_config: wrong }),
      400,
      "invalid_request",
    )
    assert.sameMembers(
      (answer.errors ?? []).map(({ pointer }) => pointer.replace("/carrier_config/", "")),
      ["server", "transport", "srtp", "addresses", "password"],
    )
    const trunkConfig = { server: trunk.server, username: "u", password: "secret" }
    const shown = made(await owner.put(`/api/phone-numbers/${id}`, { carrier_config: trunkConfig }))
    assert.deepStrictEqual(shown.carrier_config, { ...trunkConfig, password: "********" })
  })
})
