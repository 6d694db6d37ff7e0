/** What is said on a call that lives: in its row, for whoever asks, and for the time when its process is no more. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { caller } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { fleet } from "../support/Fleet.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const settings = { concurrent_max: 10, calls_per_minute: 1_000 }
const wordsOf = ({ transcript }: Record<string, any>): ReadonlyArray<string> =>
  transcript.map(({ role, text }: { readonly role: string; readonly text: string }) => `${role}: ${text}`)

describe("the words of a call that lives (decisions §2, Call)", () => {
  // Slow enough to be looked at, and to be killed in the middle.
  const two = fleet({ LAB_SPEED: "2" })
  afterAll(() => two.stop())

  it("are seen through any process while it goes on, and are there when the one that conducts it is killed", async () => {
    const conducting = await two.join()
    const other = speak((await two.join()).url)
    const lab = await caller(await speak(conducting.url).ownerOf("words", settings))
    const owner = await other.ownerOf("words")
    const { id } = made(await lab.call("+14155552010"))
    const path = `/api/v1/calls/${id}`
    const tags = new Set<string | null>()
    const live = await until(async () => {
      const answer = await owner.get(path)
      tags.add(answer.headers.get("etag"))
      const { transcript, turns } = answer.body
      // Another reading has another ETag.
      return tags.size > 1 && transcript.length >= 3 && turns.length >= 1 && answer.body
    })
    assert.strictEqual(live.status, "in_progress")
    assert.include(wordsOf(live), "agent: Hello there, this is Rosa.")

    conducting.child.kill("SIGKILL")
    const ended = await until(async () => {
      const { body } = await owner.get(path)
      return body.ended_at !== null && body
    })
    assert.include({ ...ended }, { status: "completed", outcome: "answered", end_reason: "interrupted" })
    // What was written meanwhile comes behind it.
    assert.deepStrictEqual(wordsOf(ended).slice(0, live.transcript.length), wordsOf(live))
    assert.isAtLeast(ended.turns.length, live.turns.length)
  }, 240_000)
})
