import { assert, it } from "@effect/vitest"
import * as LiveSound from "../../../src/calls/live/LiveSound.ts"
import { Link, type Received } from "../../../src/cluster/Link.ts"

const rate = 8_000
/** 40 ms of both sides. */
const part = Buffer.alloc(rate * 0.04 * 4, 1)

it("a reader that did not take another process's sound gets the last second of it, and then the new sound", () => {
  const link = new Link("link", "here", 0, { post: () => {}, onEnded: () => {} })
  const sound = LiveSound.receive(rate, link)
  const letter = { link: "link", from: "there", kind: "bytes", body: part.toString("base64") }
  const receive = (number: number) => link.receive({ ...letter, number } satisfies Received, 0)
  for (let number = 0; number < 1_000; number++) receive(number)
  let taken = 0
  for (let part = sound.take(); part !== null; part = sound.take()) taken += part.length
  assert.strictEqual(taken, rate * 4)
  receive(1_000)
  assert.strictEqual(sound.take()?.length, part.length)
  assert.isNull(sound.take())
  link.break()
  assert.deepStrictEqual([sound.isLost(), sound.isOver()], [true, false])
})
