/** Damaged copies of valid messages, the same in every run: bytes changed, removed, inserted, repeated or cut off. */

/** Random numbers from 0 to below 1 (mulberry32). */
export const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Yields `count` mutants, each with one to four damages. */
export function* mutantsOf(valid: ReadonlyArray<Uint8Array>, count: number, seed = 1): Generator<Buffer> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const extremes = [0, 1, 0x0a, 0x0d, 0x20, 0x3a, 0x7f, 0x80, 0xff]
  const some = () => Buffer.from(Array.from({ length: 1 + below(8) }, () => below(256)))
  for (let made = 0; made < count; made++) {
    let bytes = Buffer.from(valid[below(valid.length)] ?? [])
    for (let damages = 1 + below(4); damages > 0; damages--) {
      const at = below(bytes.length + 1)
      const kind = below(6)
      const before = bytes.subarray(0, at)
      const after = bytes.subarray(at)
      if (kind === 0) bytes = Buffer.concat([before, Buffer.from([below(256)]), after.subarray(1)])
      else if (kind === 1) bytes = Buffer.concat([before, Buffer.from([extremes[below(9)] ?? 0]), after.subarray(1)])
      else if (kind === 2) bytes = Buffer.concat([before, after.subarray(1 + below(8))])
      else if (kind === 3) bytes = Buffer.concat([before, some(), after])
      else if (kind === 4) bytes = Buffer.concat([before, after.subarray(0, below(64)), after])
      else bytes = before
    }
    yield bytes
  }
}
