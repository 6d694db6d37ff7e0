/** The lab, row by row (decisions §6), over HTTP. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Call } from "../../src/domain/Call.ts"
import { type Caller, caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { TestServer } from "../support/TestServer.ts"

const labLog = join(mkdtempSync(join(tmpdir(), "parley-lab-")), "lab.log")

interface LabLine {
  readonly event: string
  readonly attempt_id: string
  readonly number: string
  readonly at: string
}
const groundTruth = (id: string): ReadonlyArray<LabLine> =>
  readFileSync(labLog, "utf8")
    .trim()
    .split("\n")
    .map((line): LabLine => JSON.parse(line))
    .filter((line) => line.attempt_id === id)

const two = (digits: number) => String(digits).padStart(2, "0")
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

const rows = [
  { digits: range(0, 9), outcome: "answered", end_reason: "agent_hung_up", log: ["ring", "answer"] },
  { digits: range(10, 59), outcome: "answered", log: ["ring", "answer"] },
  { digits: range(60, 64), outcome: "answered", end_reason: "caller_hung_up", log: ["ring", "answer"] },
  { digits: range(65, 69), outcome: "answered", end_reason: "silence", log: ["ring", "answer"] },
  { digits: range(70, 74), outcome: "busy", log: [] },
  { digits: range(75, 79), outcome: "no_answer", log: ["ring"] },
  { digits: range(80, 84), outcome: "voicemail", end_reason: "voicemail", log: ["ring", "answer"] },
  { digits: range(85, 87), outcome: "rejected", log: ["ring"] },
  { digits: range(88, 89), outcome: "invalid_number", log: [] },
  { digits: range(90, 92), outcome: "carrier_error", log: [] },
  { digits: [95], outcome: "answered", end_reason: "line_lost", log: ["ring", "answer"] },
  { digits: range(96, 97), outcome: "answered", log: ["ring", "answer"] },
  { digits: [98], outcome: "answered", end_reason: "transferred", log: ["ring", "answer"] },
  { digits: [99], outcome: "answered", end_reason: "opted_out", log: ["ring", "answer"] },
]

const said = (call: typeof Call.Encoded, role: string): string =>
  call.transcript
    .filter((entry) => entry.role === role)
    .map((entry) => entry.text)
    .join(" ")
const toolsOf = (call: typeof Call.Encoded): ReadonlyArray<string> =>
  call.tool_invocations.map(({ tool_name }) => tool_name)
const invocation = (call: typeof Call.Encoded, name: string) =>
  call.tool_invocations.find(({ tool_name }) => tool_name === name)!

it.layer(TestServer.layerWith({ LAB_LOG: labLog }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("the lab (decisions §6)", (it) => {
  const test = (name: string, body: (lab: Caller) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => body(await caller(await server.ownerOf("lab", wide)))),
      ),
    )

  test("every number does what the table says of its last two digits, and the log says so", async (lab) => {
    await Promise.all(
      rows.flatMap(({ digits, end_reason, log, outcome }) =>
        digits.map(async (digit) => {
          const call = await lab.through(`+141555501${two(digit)}`)
          assert.strictEqual(call.outcome, outcome, two(digit))
          assert.strictEqual(call.status, log.includes("answer") ? "completed" : "failed", two(digit))
          assert.strictEqual(call.answered_at !== null, log.includes("answer"), two(digit))
          if (end_reason !== undefined) assert.strictEqual(call.end_reason, end_reason, two(digit))
          const events = groundTruth(call.id)
          assert.deepStrictEqual(
            events.map(({ event }) => event),
            ["invite", ...log, "end"],
            two(digit),
          )
          assert.isTrue(events.every((line) => line.number === call.to))
          assert.isTrue(events.every(({ at }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at)))
        }),
      ),
    )
  })

  test("93 and 94 are busy the first time and answer the second", async (lab) => {
    for (const number of ["+14155550293", "+14155550294"]) {
      assert.strictEqual((await lab.through(number)).outcome, "busy")
      assert.strictEqual((await lab.through(number)).outcome, "answered")
    }
  })

  test("20 to 29 ask an FAQ and get its answer", async (lab) => {
    const call = await lab.through("+14155550325")
    assert.include(said(call, "caller"), "opening hours")
    assert.include(said(call, "agent"), "We are open from nine to five.")
    assert.propertyVal(invocation(call, "lookup_faq").result, "found", true)
  })

  test("30 to 39 ask for the time and are told", async (lab) => {
    const call = await lab.through("+14155550335")
    const result = invocation(call, "get_current_time").result as { readonly now: string; readonly spoken: string }
    assert.isBelow(Math.abs(Date.parse(result.now) - Date.parse(call.answered_at!)), 60_000)
    assert.include(said(call, "agent"), result.spoken)
  })

  test("40 to 49 want a callback, and it is noted for the time that they name", async (lab) => {
    const call = await lab.ended(made(await lab.call("+14155550345", { time_zone: "UTC" })).id)
    assert.include(toolsOf(call), "schedule_callback")
    // The day after the one on which they say so, which is either end's at midnight.
    const tomorrows = [call.started_at, call.ended_at].map((at) =>
      new Date(Date.parse(at!) + 24 * 3_600_000).toISOString().slice(0, 10),
    )
    assert.include(
      tomorrows.map((day) => `${day}T15:00:00.000Z`),
      (call.result as unknown as { readonly callback: { readonly at: string } }).callback.at,
    )
  })

  test("50 to 59 give a date", async (lab) => {
    const call = await lab.through("+14155550355")
    assert.include(said(call, "caller"), "14th of March")
    assert.include(toolsOf(call), "record_outcome")
  })

  test("60 to 64 hang up within two seconds", async (lab) => {
    const call = await lab.through("+14155550360")
    const last = call.transcript.at(-1)
    assert.isAtMost(last!.ended_ms, 2_000)
  })

  test("95 drops in the middle of a sentence: the words that were heard are kept", async (lab) => {
    const call = await lab.through("+14155550395")
    const last = call.transcript.at(-1)
    assert.strictEqual(last!.role, "agent")
    assert.isTrue(last!.interrupted)
    assert.isTrue("Hello there, this is Rosa.".startsWith(last!.text))
    assert.notStrictEqual("Hello there, this is Rosa.", last!.text)
  })

  test("96 and 97 talk over the agent, who stops and listens", async (lab) => {
    const call = await lab.through("+14155550396")
    const cut = call.transcript.findIndex((entry: { interrupted?: boolean }) => entry.interrupted)
    assert.isAtLeast(cut, 0)
    assert.strictEqual(call.transcript[cut + 1]!.role, "caller")
    assert.strictEqual(call.transcript[cut + 1]!.started_ms, call.transcript[cut]!.ended_ms)
  })

  test("98 asks for a person and is put through", async (lab) => {
    const call = await lab.through("+14155550398")
    assert.deepStrictEqual(invocation(call, "transfer_call").result, {
      status: "transferring",
      to: "+14155550111",
    })
  })

  test("99 is never called again", async (lab) => {
    const call = await lab.through("+14155550399")
    assert.include(toolsOf(call), "add_to_do_not_call")
    const again = await lab.call("+14155550399")
    assert.strictEqual(again.status, 409)
    assert.strictEqual(again.body.code, "do_not_call")
  })
})

it.layer(TestServer.layerWith({ LAB_SPEED: "10" }), { timeout: "120 seconds", excludeTestServices: true })(
  "LAB_SPEED (decisions §6)",
  (it) => {
    it.effect("scales ring and talk times: at 10, a phone that rings out does so after three seconds", () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => {
          const lab = await caller(await server.ownerOf("speed", wide))
          const [ringsOut, quick] = await Promise.all([lab.through("+14155550175"), lab.through("+14155550160")])
          const lasted = (call: typeof Call.Encoded) => Date.parse(call.ended_at!) - Date.parse(call.started_at)
          // A machine that stands still adds to it; at the speed of life it would be thirty.
          assert.isAtLeast(lasted(ringsOut), 2_990)
          assert.isAtMost(lasted(ringsOut), 29_000)
          assert.isAtLeast(Date.parse(quick.answered_at!) - Date.parse(quick.started_at), 195)
        }),
      ),
    )
  },
)
