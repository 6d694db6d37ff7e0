/** What is said on a live call: it stands in the call's row while the call goes on, and after its process was killed. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { Call } from "../../src/domain/Call.ts"
import { caller } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { type Fleet, fleet } from "../support/Fleet.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const settings = { concurrent_max: 10, calls_per_minute: 1_000 }
const long = "Good morning, this is Rosa, and I have a great deal to say before anybody else has a turn. ".repeat(6)
const wordsOf = ({ transcript }: typeof Call.Encoded): ReadonlyArray<string> =>
  transcript.map(({ role, text }: { readonly role: string; readonly text: string }) => `${role}: ${text}`)

const opened: Array<Fleet> = []
/** Two processes, where the lab's calls go at this speed. */
const pairAt = async (LAB_SPEED: string) => {
  const two = fleet({ LAB_SPEED })
  opened.push(two)
  const [conducting, other] = await Promise.all([two.join(), two.join()])
  return { conducting, other: speak(other.url) }
}

// They wait for the lab's calls for most of their time.
describe.concurrent("the words of a call (decisions §2, Call)", () => {
  afterAll(() => Promise.all(opened.map((fleet) => fleet.stop())))

  it("are visible through any process during the call, and are kept when the process that conducts it is killed", async () => {
    // Slow enough to be looked at, and to be killed in the middle.
    const { conducting, other } = await pairAt("2")
    const lab = await caller(await speak(conducting.url).ownerOf("words", settings))
    const owner = await other.ownerOf("words")
    const { id } = made(await lab.call("+14155552010"))
    const path = `/api/v1/calls/${id}` as const
    const tags = new Set<string | null>()
    const live = await until(async () => {
      const answer = await owner.get(path)
      tags.add(answer.headers.get("etag"))
      const call = made(answer)
      // Another reading has another ETag.
      return tags.size > 1 && call.transcript.length >= 3 && call.turns.length >= 1 && call
    })
    assert.strictEqual(live.status, "in_progress")
    assert.include(wordsOf(live), "agent: Hello there, this is Rosa.")

    conducting.child.kill("SIGKILL")
    const ended = await until(async () => {
      const call = made(await owner.get(path))
      return call.ended_at !== null && call
    })
    assert.include({ ...ended }, { status: "completed", outcome: "answered", end_reason: "interrupted" })
    // What was written meanwhile comes behind it.
    assert.deepStrictEqual(wordsOf(ended).slice(0, live.transcript.length), wordsOf(live))
    assert.isAtLeast(ended.turns.length, live.turns.length)
  }, 240_000)

  it("claim no more than the rows prove when the process of the calls was killed", async () => {
    // Slow enough to be killed in the middle of a greeting.
    const { conducting, other } = await pairAt("1")
    const agent = { first_message: long, voicemail_action: "leave_message" }
    const lab = await caller(await speak(conducting.url).ownerOf("cut", settings), agent)
    const owner = await other.ownerOf("cut")
    const place = async (to: string): Promise<string> => made(await lab.call(to)).id
    const look = async (id: string) => made(await owner.get(`/api/v1/calls/${id}`))
    const person = await place("+14155552001")
    const heard = await place("+14155552082")
    for (const id of [person, heard]) await until(async () => wordsOf(await look(id)).length > 0)
    // A machine as well: it takes eight seconds to say so.
    const unheard = await place("+14155552083")
    await until(async () => (await look(unheard)).answered_at !== null)
    conducting.child.kill("SIGKILL")

    const expected = [
      [person, { status: "completed", outcome: "answered" }],
      [heard, { status: "completed", outcome: "voicemail" }],
      [unheard, { status: "failed", outcome: "unknown" }],
    ] as const
    for (const [id, end] of expected) {
      const ended = await until(async () => {
        const call = await look(id)
        return call.ended_at !== null && call
      })
      assert.include({ ...ended }, { ...end, end_reason: "interrupted" })
      assert.isNotNull(ended.answered_at)
    }
  }, 240_000)
})
