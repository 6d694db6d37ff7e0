/**
 * The port between a line and one way of carrying its sound: RTP, a carrier's media stream or a page's socket. Plain
 * code on both sides, called for each frame of 20 ms: no function waits, and none runs an effect.
 */
import type { Gone } from "./Telephony.ts"

/** How it is known how much of the sent sound the other side has heard. */
export type Hearing =
  /** It says so (`SoundListener.played`), while it is connected. */
  | { readonly _tag: "Reported" }
  /** The other side does not report it: a frame counts as heard this many ticks after it was sent, for the other side's jitter buffer. */
  | { readonly _tag: "Assumed"; readonly ticks: number }

/** What a path tells its line. */
export interface SoundListener {
  /** A frame of the other side's sound, at the path's rate. Its end was spoken just now, or a little earlier. */
  readonly heard: (frame: Int16Array) => void
  /** For `Reported`: the other side has heard every frame up to this number. */
  readonly played: (number: number) => void
  /** Another receiver has taken over, which has no frame yet: unheard frames are sent again, under the same numbers. */
  readonly replaced: () => void
  /** The other side pressed a key: one of `0-9*#A-D`. */
  readonly key: (digit: string) => void
  /** The other side wrote this instead of saying it. */
  readonly wrote: (text: string) => void
  /** The other side has put the call on hold, and took it back: it hears nothing meanwhile, or only music. */
  readonly peerHeld: () => void
  readonly peerBack: () => void
  /** The other side is away for good. Later reports are ignored. */
  readonly gone: (how: Gone) => void
}

export interface SoundPath {
  /** Samples a second of the frames that the line hears, and of those that it sends. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  readonly hearing: Hearing
  /** How much sound is sent ahead of time, in milliseconds. Less than a frame means one frame at each tick. */
  readonly leadMs: number
  /** The agent's own sound comes back at least this much softer. */
  readonly cancelledDb: number
  /** How much softer the agent's sound is while it is ducked; 0 where the path cannot do that. */
  readonly duckedDb: number
  /** The other side has keys, and they are reported. */
  readonly hearsKeys: boolean
  /** False while no receiver is there that could hear or report anything; the call goes on. */
  readonly isConnected: boolean
  /** Names the one listener. What happened earlier and still matters is told at once. */
  readonly attach: (listener: SoundListener) => void
  /**
   * Runs every 20 ms, after the frames that are due were sent. A path that sends at a fixed pace sends silence here if
   * it got no frame; one that buffers what it receives passes a frame on. `at` is when the tick was due, in milliseconds:
   * ticks that lie further apart were skipped.
   */
  readonly tick: (at: number) => void
  /** Sends a frame of the agent's sound; false if the path cannot take it now, and it is offered again. */
  readonly send: (number: number, frame: Int16Array) => boolean
  /** The agent falls silent and may go on: a receiver with a buffer stops playing and keeps it. `next` is the next frame. */
  readonly hold: (next: number) => void
  readonly resume: (next: number) => void
  /** Sent frames below `next` are void: a receiver with a buffer drops them. */
  readonly clear: (next: number) => void
  /** The caller may be interrupting: the agent's sound gets softer, where the path can do that, until told otherwise. */
  readonly duck: (isDucked: boolean) => void
  /** Sends keys in place of sound, as the other side's menu expects them. */
  readonly sendDigits: (digits: string) => void
}
