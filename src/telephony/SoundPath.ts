/**
 * The port between a line and one way of carrying its sound: RTP, a carrier's media stream or a page's socket. Plain
 * code on both sides, called for each frame of 20 ms: no function waits, and none runs an effect.
 */
import type { Gone } from "./Telephony.ts"

/** How the line learns how much of the sent sound the other side has heard. */
export type Hearing =
  /** The other side reports it (`SoundListener.played`) while it is connected. */
  | { readonly _tag: "Reported" }
  /**
   * The other side does not report it. A frame counts as heard this many ticks after it was sent: the assumed delay of
   * the other side's jitter buffer.
   */
  | { readonly _tag: "Assumed"; readonly ticks: number }

/** What a path tells its line. */
export interface SoundListener {
  /** A frame of the other side's sound, at the path's rate. Its end was spoken just now, or a little earlier. */
  readonly heard: (frame: Int16Array) => void
  /** For `Reported`: the other side has heard every frame up to this number. */
  readonly played: (number: number) => void
  /**
   * Another receiver has taken over and has no frame yet. The line sends the unheard frames again, under the same
   * numbers.
   */
  readonly replaced: () => void
  /** The other side pressed a key: one of `0-9*#A-D`. */
  readonly key: (digit: string) => void
  /** The other side wrote this instead of saying it. */
  readonly wrote: (text: string) => void
  /** The other side put the call on hold, or resumed it. On hold it hears nothing, or only music. */
  readonly peerHeld: () => void
  readonly peerBack: () => void
  /** The other side is gone for good. The listener ignores later reports. */
  readonly gone: (how: Gone) => void
}

export interface SoundPath {
  /** Samples a second of the frames that the line hears, and of those that it sends. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  readonly hearing: Hearing
  /** How much sound is sent ahead of time, in milliseconds. Less than a frame means one frame at each tick. */
  readonly leadMs: number
  /** An echo of the agent's own sound is at least this much softer than the sound itself. */
  readonly cancelledDb: number
  /** How much softer the agent's sound is while it is ducked; 0 where the path cannot do that. */
  readonly duckedDb: number
  /** Whether the other side has keys that the path reports. */
  readonly hearsKeys: boolean
  /** False while there is no receiver that could hear or report anything. The call goes on meanwhile. */
  readonly isConnected: boolean
  /** Attaches the one listener, and reports to it at once the earlier events that still matter. */
  readonly attach: (listener: SoundListener) => void
  /**
   * Runs every 20 ms, after the line has sent the frames that are due. A path with a fixed pace sends silence here if
   * it got no frame. A path with a receive buffer passes one frame on. `at` is when the tick was due, in milliseconds:
   * a larger step than 20 ms means that ticks were skipped.
   */
  readonly tick: (at: number) => void
  /**
   * Sends a frame of the agent's sound. Returns false if the path cannot take it now; the line then offers it again.
   */
  readonly send: (number: number, frame: Int16Array) => boolean
  /**
   * Pauses the agent's sound. A receiver with a buffer stops playing and keeps the buffer. `next` is the number of the
   * next frame.
   */
  readonly hold: (next: number) => void
  readonly resume: (next: number) => void
  /** Makes the sent frames below `next` void. A receiver with a buffer drops them. */
  readonly clear: (next: number) => void
  /** Makes the agent's sound softer, or normal again, where the path can: the caller may be interrupting. */
  readonly duck: (isDucked: boolean) => void
  /** Sends keys, for a menu on the other side. */
  readonly sendDigits: (digits: string) => void
}
