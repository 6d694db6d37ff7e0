/** The sound of a SIP call as a path: RTP, with the parts that go over SIP: the end of the call, and keys by INFO. */
import { RtpPath } from "../rtp/RtpPath.ts"
import type { RtpSession } from "../rtp/RtpSession.ts"
import type { SoundListener } from "../SoundPath.ts"
import type { Gone } from "../Telephony.ts"
import type { Session } from "./Session.ts"

/** The duration of a key in an INFO, in milliseconds. */
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

  /** Takes a key that the peer sent by INFO. */
  press(digit: string): void {
    this.#end?.key(digit)
  }

  leave(how: Gone): void {
    this.#goneEarly = how
    this.#end?.gone(how)
  }

  /** Sends keys as RTP events if the peer takes them, else by INFO. */
  override sendDigits(digits: string): void {
    if (this.#rtp.agreed?.keys !== null) return super.sendDigits(digits)
    for (const digit of digits) if (/[0-9A-D*#]/.test(digit)) this.#session.sendDigit(digit, keyMs)
  }
}
