/** The sound of a SIP call as a path: RTP, with what the call itself tells and takes: its end, and keys as text. */
import { RtpPath } from "../rtp/RtpPath.ts"
import type { RtpSession } from "../rtp/RtpSession.ts"
import type { SoundListener } from "../SoundPath.ts"
import type { Gone } from "../Telephony.ts"
import type { Session } from "./Session.ts"

/** How long a key is held that is sent as text, in milliseconds. */
const keyMs = 160

export class SipPath extends RtpPath {
  readonly #rtp: RtpSession
  readonly #session: Session
  #end: SoundListener | undefined
  #goneEarly: Gone | null = null

  constructor(rtp: RtpSession, session: Session) {
    super(rtp)
    this.#rtp = rtp
    this.#session = session
  }

  override attach(listener: SoundListener): void {
    this.#end = listener
    super.attach(listener)
    if (this.#goneEarly !== null) listener.gone(this.#goneEarly)
  }

  /** The peer sent a key as text. */
  press(digit: string): void {
    this.#end?.key(digit)
  }

  leave(how: Gone): void {
    this.#goneEarly = how
    this.#end?.gone(how)
  }

  /** As events in the sound where the peer takes them, else as text. */
  override sendDigits(digits: string): void {
    if (this.#rtp.agreed?.keys !== null) return super.sendDigits(digits)
    for (const digit of digits) if (/[0-9A-D*#]/.test(digit)) this.#session.sendDigit(digit, keyMs)
  }
}
