/** The sound of a live call, as one listener hears it, and its way from the process that conducts the call to another. */
import { Effect } from "effect"
import type { Link } from "../../cluster/Link.ts"

export interface LiveSound {
  /** Samples a second of each side. */
  readonly rate: number
  /**
   * Takes the next part of both sides' sound: interleaved 16-bit samples, the other party left and the agent right. Null
   * if there is nothing yet. Sound that is not taken within a second is lost.
   */
  readonly take: () => Uint8Array<ArrayBuffer> | null
  /** Whether the talk has ended. */
  readonly isOver: () => boolean
  /** Whether the process that conducts the call has gone, or can no longer be reached. */
  readonly isLost: () => boolean
}

/** How often sound is sent: two frames. */
const sendEvery = "40 millis"
/** Two samples of 16 bits. */
const bytesPerFrame = 4

/** Sends the sound until the talk or the link ends. What the link cannot take is lost. */
export const send = Effect.fnUntraced(function* (sound: LiveSound, link: Link) {
  while (!sound.isOver() && link.end === null) {
    yield* Effect.sleep(sendEvery)
    for (let part = sound.take(); part !== null; part = sound.take()) link.pass(part)
  }
})

/** Receives what `send` sends, and keeps at most a second of it. */
export const receive = (rate: number, link: Link): LiveSound => {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  const most = rate * bytesPerFrame
  let kept = 0
  const take = () => {
    const part = parts.shift() ?? null
    kept -= part?.length ?? 0
    return part
  }
  link.hear((part) => {
    parts.push(part)
    kept += part.length
    while (kept > most) kept -= parts.shift()?.length ?? 0
  })
  return {
    rate,
    take,
    isOver: () => link.end?.isLost === false && parts.length === 0,
    isLost: () => link.end?.isLost === true,
  }
}
