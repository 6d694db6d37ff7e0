/** Connects the sound of two lines with each other, in place of an agent. Plain code, called for each frame. */

/** Takes what the other side says and presses. */
export interface SoundSink {
  readonly frame: (frame: Int16Array) => void
  readonly key: (digit: string) => void
}

/** The sockets of one line to which another line is connected. */
export interface SoundPatch {
  /** Samples a second in both directions; null if they differ. */
  readonly rate: number | null
  /** Passes the other side's sound and keys on, in place of hearing them; null hears them again. */
  readonly divert: (to: SoundSink | null) => void
  /** Sends a frame to the other side. One that comes while the line cannot take it is lost. */
  readonly inject: (frame: Int16Array) => void
  readonly sendDigits: (digits: string) => void
}

/** Connects two lines of the same rate until the returned function is called. Both agents have to be silent. */
export const join = (one: SoundPatch, other: SoundPatch): (() => void) => {
  const sinkInto = ({ inject, sendDigits }: SoundPatch): SoundSink => ({ frame: inject, key: sendDigits })
  one.divert(sinkInto(other))
  other.divert(sinkInto(one))
  return () => {
    one.divert(null)
    other.divert(null)
  }
}

export const canJoin = (one: SoundPatch, other: SoundPatch): boolean => one.rate !== null && one.rate === other.rate
