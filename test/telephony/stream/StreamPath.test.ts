/** Our side of a media stream, against a carrier in memory that plays by its own clock and hears of us later. */
import { assert, describe, it } from "@effect/vitest"
import { Playout } from "../../../src/speech/Playout.ts"
import { decodeG711, pcmu } from "../../../src/speech/G711.ts"
import { StreamPath } from "../../../src/telephony/stream/StreamPath.ts"

/** Messages take this many ticks in either direction. */
const delay = 3
const frameLength = 160

type Sent = { readonly level: number } | { readonly mark: string } | "clear"

/** A loudness of its own for each piece of text. */
const levelOf = (piece: number) => 1_000 + (piece % 20) * 500
const soundOf = (piece: number, frames: number) =>
  Int16Array.from({ length: frames * frameLength }, (_, at) => levelOf(piece) * (-1) ** at)
/** µ-law keeps the levels apart. */
const nearest = (sample: number) => Math.round((Math.abs(sample) - 1_000) / 500) * 500 + 1_000

const staged = () => {
  const path = new StreamPath()
  const onTheWay: Array<{ readonly due: number; readonly sent: Sent }> = []
  const back: Array<{ readonly due: number; readonly mark: string }> = []
  let buffer: Array<Exclude<Sent, "clear">> = []
  /** The level that is heard at each tick; null for silence. */
  const heard: Array<number | null> = []
  const played: Array<number> = []
  const gone: Array<string> = []
  let now = 0
  let mostBuffered = 0
  let isTaking = true
  const put = (sent: Sent) => void onTheWay.push({ due: now + delay, sent })
  const stream = {
    sound: (payload: string) => {
      if (isTaking) put({ level: nearest(decodeG711(pcmu, Buffer.from(payload, "base64"))[80] ?? 0) })
      return isTaking
    },
    mark: (mark: string) => put({ mark }),
    clear: () => put("clear"),
    close: () => {},
  }
  const returnMark = (mark: string) => void back.push({ due: now + delay, mark })
  const playout: Playout = new Playout(
    { send: (number, frame) => path.send(number, frame), began: () => {}, played: (piece) => void played.push(piece) },
    { rate: 8_000, leadMs: path.leadMs },
  )
  const keys: Array<string> = []
  const frames: Array<Int16Array> = []
  path.attach({
    heard: (frame) => void frames.push(frame),
    played: (number) => playout.heard(number, now * 20),
    replaced: () => {
      playout.rewind(now * 20)
      path.clear()
      if (playout.isHeld) path.hold()
    },
    key: (digit) => void keys.push(digit),
    wrote: () => {},
    peerHeld: () => {},
    peerBack: () => {},
    gone: (how) => void gone.push(how),
  })
  path.join(stream)

  const arrive = (sent: Sent) => {
    if (sent !== "clear") return void buffer.push(sent)
    const waiting = buffer
    buffer = []
    for (const item of waiting) if ("mark" in item) returnMark(item.mark)
  }
  const tick = (times = 1) => {
    for (let left = times; left > 0; left--) {
      now++
      playout.tick(now * 20)
      path.tick()
      while (onTheWay[0] !== undefined && onTheWay[0].due <= now) arrive(onTheWay.shift()!.sent)
      mostBuffered = Math.max(mostBuffered, buffer.filter((item) => "level" in item).length)
      while (buffer[0] !== undefined && "mark" in buffer[0]) returnMark((buffer.shift() as { mark: string }).mark)
      const next = buffer.shift()
      heard.push(next !== undefined && "level" in next ? next.level : null)
      while (buffer[0] !== undefined && "mark" in buffer[0]) returnMark((buffer.shift() as { mark: string }).mark)
      while (back[0] !== undefined && back[0].due <= now) {
        path.take(stream, { _tag: "Marked", name: back.shift()!.mark })
      }
    }
  }
  const say = (piece: number, frames: number) => {
    playout.begin(piece, "words", 1)
    playout.add(piece, soundOf(piece, frames))
    playout.end(piece, now * 20)
  }
  const hold = () => {
    playout.hold()
    path.hold()
  }
  const resume = () => {
    playout.resume(now * 20)
    path.resume()
  }
  const cut = () => {
    const position = playout.position()
    playout.cut(now * 20)
    path.clear()
    return position
  }
  return {
    path,
    stream,
    playout,
    heard,
    played,
    gone,
    keys,
    frames,
    tick,
    say,
    hold,
    resume,
    cut,
    silentMs: () => playout.silentMs(now * 20),
    refuse: (isRefusing: boolean) => void (isTaking = !isRefusing),
    mostBuffered: () => mostBuffered,
  }
}

const countOf = (heard: ReadonlyArray<number | null>, piece: number) =>
  heard.filter((level) => level === levelOf(piece)).length

describe("the sound of a media stream", () => {
  it("is sent a little ahead, and counts as heard when the carrier has played it", () => {
    const { heard, mostBuffered, played, say, tick } = staged()
    say(1, 50)
    say(2, 5)
    tick(40)
    assert.deepStrictEqual(played, [])
    tick(60)
    assert.deepStrictEqual(played, [1, 2])
    assert.deepStrictEqual([countOf(heard, 1), countOf(heard, 2)], [50, 5])
    assert.isAtMost(mostBuffered(), 6)
  })

  it("falls silent when it is held, loses no frame, and repeats only a few", () => {
    const { heard, hold, played, resume, say, tick } = staged()
    say(1, 60)
    tick(30)
    hold()
    tick(delay)
    const before = countOf(heard, 1)
    tick(30)
    assert.strictEqual(countOf(heard, 1), before)
    assert.deepStrictEqual(played, [])
    resume()
    tick(80)
    assert.deepStrictEqual(played, [1])
    const twice = countOf(heard, 1) - 60
    assert.isAtLeast(twice, 0)
    // What was played and not known to be: the way of a mark, the way of the clearing, and the frames of one mark.
    assert.isAtMost(twice, delay * 2 + 2)
  })

  it("of a reply that was cut is never heard again, and no unheard frame counts as heard, in a thousand cuts", () => {
    const { cut, heard, hold, say, tick } = staged()
    let roll = 7
    const dice = (most: number) => (roll = (roll * 16_807) % 2_147_483_647) % most
    for (let piece = 1; piece <= 1_000; piece++) {
      say(piece, 20 + dice(60))
      const from = heard.length
      tick(1 + dice(60))
      if (dice(2) === 0) {
        hold()
        tick(dice(20))
      }
      const position = cut()
      const known = (position?.played_ms ?? 0) / 20
      assert.isAtMost(known, countOf(heard.slice(from), piece), `piece ${piece}`)
      tick(delay)
      const silentFrom = heard.length
      tick(dice(30))
      assert.strictEqual(countOf(heard.slice(silentFrom), piece), 0, `piece ${piece}`)
    }
  })

  it("does not take a mark that a clearing returned as proof", () => {
    const { hold, played, playout, say, tick } = staged()
    say(1, 30)
    tick(8)
    const before = playout.position()?.played_ms ?? 0
    hold()
    tick(20)
    const after = playout.position()?.played_ms ?? 0
    assert.isAtMost(after, before + (delay + 1) * 20)
    assert.deepStrictEqual(played, [])
  })

  it("continues over the next stream with the frames that were not heard", () => {
    const { gone, heard, path, played, say, stream, tick } = staged()
    say(1, 40)
    tick(20)
    path.expectEnd()
    path.part(stream, "hung_up")
    tick(10)
    assert.isFalse(path.isConnected)
    path.join(stream)
    tick(60)
    assert.deepStrictEqual(played, [1])
    assert.isAtLeast(countOf(heard, 1), 40)
    assert.deepStrictEqual(gone, [])
    path.part(stream, "lost")
    assert.deepStrictEqual(gone, ["lost"])
  })

  it("waits for a carrier that takes nothing, and expects a report on what it took", () => {
    const { heard, played, refuse, say, silentMs, tick } = staged()
    refuse(true)
    say(1, 10)
    tick(600)
    assert.deepStrictEqual([countOf(heard, 1), silentMs()], [0, 0])
    refuse(false)
    tick(40)
    assert.deepStrictEqual(played, [1])
  })

  it("ends when the carrier sends nothing for twenty seconds", () => {
    const { gone, path, stream, tick } = staged()
    tick(900)
    path.take(stream, { _tag: "Sound", bytes: Buffer.alloc(160) })
    tick(900)
    assert.deepStrictEqual(gone, [])
    tick(150)
    assert.include(gone, "lost")
  })

  it("is read in frames of 20 ms, however it is divided, and keys beside it", () => {
    const { frames, keys, path, stream } = staged()
    for (const bytes of [100, 60, 320, 1, 159]) path.take(stream, { _tag: "Sound", bytes: Buffer.alloc(bytes, 0xff) })
    path.take(stream, { _tag: "Key", digit: "5" })
    assert.deepStrictEqual(
      frames.map(({ length }) => length),
      [160, 160, 160, 160],
    )
    assert.deepStrictEqual(keys, ["5"])
  })
})
