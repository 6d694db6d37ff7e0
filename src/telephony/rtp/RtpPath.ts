/**
 * The sound of a call over RTP as a path: one packet at each tick, whether the agent speaks or not, and the peer's sound
 * at the same pace.
 */
import { frameMs, soften } from "../../speech/Audio.ts"
import type { SoundListener, SoundPath } from "../SoundPath.ts"
import { frameSamples, g711Rate } from "../../speech/G711.ts"
import type { RtpSession } from "./RtpSession.ts"
import type { AgreedSound } from "./Sdp.ts"

/** The longest time without a packet from the peer, in ticks: before its first one, and after it. */
const mostBeforeFirst = 30_000 / frameMs
const mostSilent = 20_000 / frameMs

export class RtpPath implements SoundPath {
  readonly rates = { heard: g711Rate, spoken: g711Rate }
  /** The peer's jitter buffer holds some three frames, and reports nothing. */
  readonly hearing = { _tag: "Assumed", ticks: 3 } as const
  /** Sound is sent only when it is due, so that the agent can fall silent at once. */
  readonly leadMs = frameMs / 2
  /** The echo cancellers of the telephone network weaken an echo by about this. */
  readonly cancelledDb = 12
  readonly duckedDb = 15
  readonly hearsKeys = true
  readonly isConnected = true
  readonly #session: RtpSession
  #listener: SoundListener | undefined
  #slot: Int16Array | null = null
  /** The ducked frame that is being sent. */
  readonly #softened = new Int16Array(frameSamples)
  #tickedAt: number | null = null
  #isHeld: boolean
  #isDucked = false

  constructor(session: RtpSession) {
    this.#session = session
    this.#isHeld = session.agreed?.sends === false
  }

  attach(listener: SoundListener): void {
    this.#listener = listener
    this.#session.listen({ key: listener.key, agreed: (sound) => this.#follow(sound) })
    if (this.#isHeld) listener.peerHeld()
  }

  /** A peer that accepts no sound has put the call on hold. */
  #follow({ sends }: AgreedSound): void {
    if (this.#isHeld === !sends) return
    this.#isHeld = !sends
    if (this.#isHeld) this.#listener?.peerHeld()
    else this.#listener?.peerBack()
  }

  tick(at: number): void {
    const missed = this.#tickedAt === null ? 0 : Math.round((at - this.#tickedAt) / frameMs) - 1
    this.#tickedAt = at
    const frame = this.#slot
    this.#slot = null
    this.#session.send(
      frame !== null && this.#isDucked ? soften(frame, this.duckedDb, this.#softened) : frame,
      Math.max(0, missed),
    )
    this.#listener?.heard(this.#session.hear())
    this.#watch()
  }

  #watch(): void {
    const { hasHeard, isFlooded, silentTicks } = this.#session
    const isSilent = silentTicks > (hasHeard ? mostSilent : mostBeforeFirst)
    if (isFlooded || (isSilent && !this.#isHeld)) this.#listener?.gone("lost")
  }

  send(_: number, frame: Int16Array): boolean {
    if (this.#slot !== null || this.#session.isPressing) return false
    this.#slot = frame
    return true
  }

  hold(): void {
    this.#slot = null
  }

  resume(): void {}

  clear(): void {
    this.#slot = null
  }

  duck(isDucked: boolean): void {
    this.#isDucked = isDucked
  }

  sendDigits(digits: string): void {
    this.#session.press(digits)
  }
}
