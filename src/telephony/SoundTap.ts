/** The port of what listens to both sides of a line, for example to record it. Plain code, called for each frame. */

export interface SoundTap {
  /**
   * Called at each tick of the media clock, before the tick's frames. A step of more than 20 ms means that ticks were
   * skipped.
   */
  readonly tick: (at: number) => void
  /** A frame of the other side, at the rate `heard`. `at` is when it began, in milliseconds since the line began. */
  readonly heard: (frame: Int16Array, at: number) => void
  /**
   * A frame of the agent at the rate `spoken`, as loud as the other side hears it. `at` is when the other side began to
   * hear it.
   */
  readonly spoken: (frame: Int16Array, at: number) => void
}

/** The sound of a line that passes through this process. */
export interface TappableSound {
  /** Samples a second. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  /** Attaches one more tap; the returned function detaches it. A tap must copy the samples that it keeps. */
  readonly tap: (tap: SoundTap) => () => void
}
