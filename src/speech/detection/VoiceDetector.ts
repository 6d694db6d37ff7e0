/** Tells voice from other sound, frame by frame. Each line has a detector of its own. */
export interface VoiceDetector {
  /** Whether the newest judged sound had voice in it. */
  readonly isVoiced: boolean
  /** From the end of the newest sound that was judged to the end of the last frame, in milliseconds. */
  readonly delayMs: number
  /** From the beginning of the voice to the end of the frame with which `hear` returned "on", in milliseconds. */
  readonly onsetMs: number
  /** Returns what changed with this frame. Returns at once. */
  readonly hear: (frame: Int16Array, circumstances: Circumstances) => "on" | "off" | null
}

/** What the line knows about a frame. */
export interface Circumstances {
  /** Whether the frame has no echo of the agent's sound, so that the background can be learnt from it. */
  readonly learns: boolean
  /** The least level of a voice while the agent's sound may echo. */
  readonly leastDb?: number
}
