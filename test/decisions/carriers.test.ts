import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import twilio from "twilio"
import type { Call } from "../../src/domain/Call.ts"
import { type Caller, caller, wide } from "../support/Callers.ts"
import {
  assertTalkedThrough,
  CarrierProcess,
  credentials,
  parley,
  type Truth,
  twilioNumber,
} from "../support/CarrierProcess.ts"
import type { Problem } from "../support/Contract.ts"
import { made } from "../support/Fixtures.ts"
import { type Answer, type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const { getExpectedTwilioSignature } = twilio as unknown as {
  getExpectedTwilioSignature: (token: string, url: string, form: object) => string
}

/** A number of its own each time, with the last two digits of choice. */
let next = 57_000
const to = (digits: string) => `+1415${++next}${digits}`

const events = (truth: ReadonlyArray<Truth>) => truth.map(({ event }) => event)

it.layer(parley, { timeout: "180 seconds", excludeTestServices: true })("carriers", (it) => {
  interface Over {
    readonly owner: Client
    readonly lab: Caller
    readonly carrier: CarrierProcess["Service"]
    readonly url: string
    readonly call: Caller["call"]
    /** Places a call and gives it as it ended. */
    readonly through: (to: string) => Promise<typeof Call.Encoded>
    /** Sends a report as Twilio would; the signature may be another one. */
    readonly report: (path: string, form: Record<string, string>, signature?: string) => Promise<Answer>
    readonly faults: (faults: object) => Promise<unknown>
    readonly inAnother: (body: (owner: Client) => Promise<void>) => Promise<void>
  }
  const test = (name: string, body: (over: Over) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const { ownerOf, request, url } = yield* TestServer
          const carrier = yield* CarrierProcess
          yield* Effect.promise(async () => {
            const owner = await ownerOf(`t${crypto.randomUUID().slice(0, 8)}`, wide)
            const lab = await caller(owner)
            const number = await twilioNumber(owner)
            const call: Over["call"] = (to) =>
              owner.post("/api/v1/calls", { agent_id: lab.agent.id, phone_number_id: number.id, to })
            const report: Over["report"] = (path, form, signature) =>
              request("POST", path, {
                body: new URLSearchParams(form).toString(),
                headers: {
                  "content-type": "application/x-www-form-urlencoded",
                  "x-twilio-signature":
                    signature ?? getExpectedTwilioSignature(credentials.auth_token, `${url}${path}`, form),
                },
              })
            const faults: Over["faults"] = (faults) => carrier.ask("POST", "/control", faults)
            await faults({ reset: true })
            const through: Over["through"] = async (to) => lab.ended(made(await call(to)).id)
            const inAnother: Over["inAnother"] = async (body) =>
              body(await ownerOf(`t${crypto.randomUUID().slice(0, 8)}`, wide))
            await body({ owner, lab, carrier, url, call, through, report, faults, inAnother })
          })
        }),
      240_000,
    )

  test("a call over Twilio is talked through, ended at the carrier first, and its words are kept", async (over) => {
    const call = await over.through(to("00"))
    assertTalkedThrough(call)
    const said = (role: string) => call.transcript.filter((entry) => entry.role === role).map(({ text }) => text)
    assert.deepStrictEqual(said("caller").slice(0, 2), ["Hello?", "Yes, speaking."])
    assert.include(said("agent"), "Hello there, this is Rosa.")
    const truth = over.carrier.truth(call.id)
    assert.deepStrictEqual(events(truth), ["create", "ring", "answer", "end"])
    assert.isAtMost(Date.parse(truth.at(-1)!.at), Date.parse(call.ended_at!))
    const [there] = (await over.carrier.ask("GET", "/calls")).filter(({ sid }) => sid === truth[0]!.sid)
    assert.deepStrictEqual(
      there!.transcript.filter((entry) => entry.role === "agent").map(({ text }) => text),
      said("agent"),
    )
  })

  test("Twilio is asked about a number before the first call", async ({ owner }) => {
    const check = async (number: string, auth_token = credentials.auth_token) => {
      const body = { number, carrier: "twilio", carrier_config: { ...credentials, auth_token } }
      const { id } = made(await owner.post("/api/phone-numbers", body))
      return made(await owner.post(`/api/phone-numbers/${id}/check`))
    }
    // The token that an account is first used with is its token.
    assert.include(await check("+14155590000"), {
      ok: true,
      detail: "Twilio takes the credentials, and the number is in the account.",
    })
    assert.include(await check("+14155590099"), {
      ok: false,
      detail:
        "Twilio takes the credentials, but the account has no such number. It can dial only if it is a verified caller ID.",
    })
    assert.include(await check("+14155590001", "f".repeat(32)), {
      ok: false,
      detail: "Twilio refuses the credentials (401). Check account_sid and auth_token.",
    })
  })

  test("a message is left after a machine's tone", async ({ carrier, owner }) => {
    const lab = await caller(owner, { voicemail_action: "leave_message", first_message: "Please call Rosa back." })
    const number = await twilioNumber(owner)
    const body = { agent_id: lab.agent.id, phone_number_id: number.id, to: to("80") }
    const call = await lab.ended(made(await owner.post("/api/v1/calls", body)).id)
    assert.include(call, { outcome: "voicemail", end_reason: "voicemail" })
    assert.strictEqual(call.transcript.at(-1)!.text, "Please call Rosa back.")
    assert.deepStrictEqual(events(carrier.truth(call.id)), ["create", "ring", "answer", "end"])
    // The tone was heard, so the agent did not wait 30 s for it.
    assert.isBelow(call.transcript.at(-1)!.started_ms, 30_000)
  })

  test("what the network says decides the outcome", async ({ carrier, owner, lab }) => {
    const expected = { 70: "busy", 75: "no_answer", 80: "voicemail", 85: "rejected", 87: "rejected" }
    const all = { ...expected, 88: "invalid_number", 90: "carrier_error", 60: "answered" }
    const calls = []
    for (const [digits, outcome] of Object.entries(all)) {
      // The pace of a number over Twilio is a call a second; these come from as many numbers.
      const number = await twilioNumber(owner)
      const body = { agent_id: lab.agent.id, phone_number_id: number.id, to: to(digits) }
      calls.push({ digits, outcome, id: made(await owner.post("/api/v1/calls", body)).id })
    }
    for (const { digits, id, outcome } of calls) {
      assert.strictEqual((await lab.ended(id)).outcome, outcome, digits)
      assert.strictEqual(events(carrier.truth(id)).filter((event) => event === "create").length, 1, digits)
    }
  })

  test("a lost answer is not a second call: the first one is found and conducted", async (over) => {
    for (const fault of ["error_after", "cut_after"]) {
      await over.faults({ create: { [fault]: 1 } })
      const call = made(await over.call(to("00")))
      await over.faults({ reset: true })
      const ended = await over.lab.ended(call.id)
      assertTalkedThrough(ended, fault)
      assert.deepStrictEqual(events(over.carrier.truth(call.id)), ["create", "ring", "answer", "end"], fault)
    }
  })

  test("an order for which the carrier has no time is sent again, and given up in the end", async (over) => {
    await over.faults({ create: { too_many_next: 2 } })
    const soon = made(await over.call(to("00")))
    assert.strictEqual((await over.lab.ended(soon.id)).outcome, "answered")
    assert.strictEqual((await over.carrier.ask("GET", "/control")).create.too_many_next, 0)
    await over.faults({ create: { too_many: 1 } })
    assert.include(await over.through(to("00")), { outcome: "carrier_error", end_reason: "not_answered" })
  })

  test("an order of which the carrier never makes a call ends unknown", async (over) => {
    await over.faults({ create: { error_before: 1 } })
    const call = await over.through(to("00"))
    assert.include(call, { outcome: "unknown", status: "failed" })
    assert.deepStrictEqual(over.carrier.truth(call.id), [])
  })

  test("reports that are lost are made up for by asking", async (over) => {
    await over.faults({ callbacks: { drop: 1 } })
    const call = await over.through(to("70"))
    assert.strictEqual(call.outcome, "busy")
  })

  test("reports that come doubled, late and in any order change nothing", async (over) => {
    await over.faults({ callbacks: { duplicate: 0.5, reorder: 0.7, reorder_ms: 1_000, storm: 2 } })
    const calls = [await over.through(to("70")), await over.through(to("00"))]
    assert.deepStrictEqual(
      calls.map(({ outcome }) => outcome),
      ["busy", "answered"],
    )
    const refusedBefore = (await over.carrier.ask("GET", "/counts")).callbacks.refused
    const { sent } = await over.carrier.ask("POST", "/storm", { times: 3 })
    assert.isAbove(sent, 10)
    const settled = await until(async () => {
      const { callbacks } = await over.carrier.ask("GET", "/counts")
      return callbacks.waiting === 0 && callbacks
    })
    assert.isAtLeast(settled.answered, sent)
    assert.strictEqual(settled.refused, refusedBefore)
    for (const call of calls) assert.deepStrictEqual(made(await over.owner.get(`/api/v1/calls/${call.id}`)), call)
  })

  test("a hang-up stops the ringing, and ends a talk, at the carrier", async (over) => {
    const ringing = made(await over.call(to("76")))
    await until(() => events(over.carrier.truth(ringing.id)).includes("ring"))
    const failed = made(await over.owner.post(`/api/v1/calls/${ringing.id}/hangup`))
    assert.include(failed, { status: "failed", outcome: "no_answer", end_reason: "hung_up" })
    assert.strictEqual(over.carrier.truth(ringing.id).at(-1)?.outcome, "canceled")

    const talking = made(await over.call(to("65")))
    await until(() => events(over.carrier.truth(talking.id)).includes("answer"))
    await until(async () => made(await over.owner.get(`/api/v1/calls/${talking.id}`)).status === "in_progress")
    const ended = made(await over.owner.post(`/api/v1/calls/${talking.id}/hangup`))
    assert.include(ended, { status: "completed", outcome: "answered", end_reason: "hung_up" })
    assert.strictEqual(over.carrier.truth(talking.id).at(-1)?.event, "end")
  })

  test("a report with a wrong signature, or none, is a 403 and changes nothing", async (over) => {
    const call = made(await over.call(to("76")))
    await until(() => events(over.carrier.truth(call.id)).includes("ring"))
    const { sid } = over.carrier.truth(call.id)[0]!
    const form = {
      CallSid: sid,
      AccountSid: credentials.account_sid,
      CallStatus: "completed",
      SequenceNumber: "9",
      CallDuration: "60",
    }
    const path = `/carriers/twilio/${over.owner.account}/${call.id}/status`
    for (const signature of ["", "x", getExpectedTwilioSignature("another token", `${over.url}${path}`, form)]) {
      const { body, status } = await over.report(path, form, signature)
      assert.deepStrictEqual([status, (body as Problem).code], [403, "signature_wrong"])
    }
    assert.strictEqual((await over.report(path, { ...form, AccountSid: "\0" })).status, 403)
    const stranger = { ...form, AccountSid: `AC${"6".repeat(32)}` }
    assert.strictEqual((await over.report(path, stranger)).status, 403)
    assert.strictEqual((await over.lab.ended(call.id)).outcome, "no_answer")
  })

  test("one account's token does not speak for another account's call", async (over) => {
    const call = made(await over.call(to("76")))
    await until(() => events(over.carrier.truth(call.id)).includes("ring"))
    const { sid } = over.carrier.truth(call.id)[0]!
    await over.inAnother(async (other) => {
      const own = { account_sid: `AC${"8".repeat(32)}`, auth_token: "the other one's" }
      await twilioNumber(other, own)
      const form = { CallSid: sid, AccountSid: own.account_sid, CallStatus: "completed", CallDuration: "60" }
      const told = async (account: string) => {
        const path = `/carriers/twilio/${account}/${call.id}/status`
        return over.report(path, form, getExpectedTwilioSignature(own.auth_token, `${over.url}${path}`, form))
      }
      assert.strictEqual((await told(over.owner.account)).status, 403)
      // The other account has no such call.
      assert.strictEqual((await told(other.account)).status, 200)
    })
    assert.strictEqual((await over.lab.ended(call.id)).outcome, "no_answer")
  })

  test("whatever is reported with a right signature, the answer is a 200, and never a 5xx", async (over) => {
    const call = made(await over.call(to("76")))
    const odd = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom("-1", "1e9", "9".repeat(30), "\0"),
    )
    const text = odd.filter((text) => text.isWellFormed())
    const names = ["CallStatus", "SequenceNumber", "CallDuration", "SipResponseCode", "Timestamp", "SpeechResult"]
    const forms = fc.record(Object.fromEntries([...names, "DialCallStatus", "CallSid"].map((name) => [name, text])), {
      requiredKeys: [],
    })
    const ends = fc.constantFrom("status", "talk/s1", "talk/s1.1", "talk/x?language=en-US", "talk/%F0%9F%99%82")
    for (const [fields, end, status] of fc.sample(fc.tuple(forms, ends, fc.boolean()), { numRuns: 150, seed: 7 })) {
      const form = { ...fields, ...(status ? { CallStatus: "ringing" } : {}), AccountSid: credentials.account_sid }
      const answer = await over.report(`/carriers/twilio/${over.owner.account}/${call.id}/${end}`, form)
      assert.strictEqual(answer.status, 200, JSON.stringify([end, form, answer.body]))
    }
    assert.strictEqual((await over.lab.ended(call.id)).status, "failed")
  })

  test("a report for an unknown call is answered 200, under both prefixes", async (over) => {
    const form = { CallSid: `CA${"7".repeat(32)}`, AccountSid: credentials.account_sid, CallStatus: "ringing" }
    for (const id of [crypto.randomUUID(), "no-uuid"]) {
      for (const prefix of ["", "/hub-api"]) {
        const { body, status } = await over.report(`${prefix}/carriers/twilio/${over.owner.account}/${id}/status`, form)
        assert.deepStrictEqual([status, body], [200, undefined])
      }
    }
    const words = { ...form, CallStatus: "no word of Twilio's" }
    const path = `/carriers/twilio/${over.owner.account}/${crypto.randomUUID()}/talk/s1`
    assert.strictEqual((await over.report(path, words)).status, 200)
    for (const account of ["nobody-at-all", "NO SLUG", "platform-admin"]) {
      const { status } = await over.report(`/carriers/twilio/${encodeURIComponent(account)}/x/status`, form)
      assert.strictEqual(status, 403, account)
    }
    const other = { method: "GET", path: `/carriers/twilio/${over.owner.account}/x/status` }
    assert.strictEqual((await over.owner.request(other.method, other.path)).status, 405)
    const json = await over.owner.request("POST", other.path, { body: {}, account: null, token: null })
    assert.strictEqual(json.status, 415)
  })

  test("credentials of a number over Twilio are checked on write, and masked", async ({ lab, owner }) => {
    const write = (carrier_config: object) =>
      owner.post("/api/phone-numbers", { number: to("99"), carrier: "twilio", carrier_config })
    const refused = async (carrier_config: object, pointers: ReadonlyArray<string>) => {
      const { body, status } = await write(carrier_config)
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(
        body.errors?.map(({ pointer }) => pointer),
        pointers.map((name) => `/carrier_config/${name}`),
      )
    }
    await refused({ account_sid: credentials.account_sid }, ["auth_token"])
    await refused({ auth_token: "t" }, ["account_sid"])
    await refused({ ...credentials, account_sid: "SK5" }, ["account_sid"])
    await refused({ ...credentials, account_sid: "AC5/../AC6" }, ["account_sid"])
    await refused({ ...credentials, auth_token: "two\nlines" }, ["auth_token"])
    await refused({ ...credentials, auth_token: 5 }, ["auth_token"])
    const number = made(await write(credentials))
    assert.deepStrictEqual(number.carrier_config, { ...credentials, auth_token: "********" })
    // Kept, and not yet to be dialled from.
    const bare = made(await write({}))
    const { body, status } = await owner.post("/api/v1/calls", {
      agent_id: lab.agent.id,
      phone_number_id: bare.id,
      to: to("00"),
    })
    assert.deepStrictEqual([status, body.code, body.state], [409, "invalid_state", "twilio"])
    assert.include(body.detail, "auth_token")
  })
})

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("without PARLEY_PUBLIC_URL", (it) => {
  it.effect("a number over Twilio can be kept, and dialling from it says what is missing", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("nowhere")
        const { agent } = await caller(owner)
        const number = await twilioNumber(owner)
        const body = { agent_id: agent.id, phone_number_id: number.id, to: to("00") }
        const answer = await owner.post("/api/v1/calls", body)
        assert.deepStrictEqual([answer.status, answer.body.code], [409, "invalid_state"])
        assert.include(answer.body.detail, "PARLEY_PUBLIC_URL")
        const callback = `/carriers/twilio/nowhere/${crypto.randomUUID()}/status`
        const form = { body: "CallSid=CA1", headers: { "content-type": "application/x-www-form-urlencoded" } }
        assert.strictEqual((await owner.request("POST", callback, form)).status, 403)
      })
    }),
  )
})
