/** The session descriptions of one call: what we offer and answer, and what becomes of its sound. */
import { Result } from "effect"
import { randomInt } from "node:crypto"
import { isIP, isIPv6 } from "node:net"
import type { RtpSession } from "../rtp/RtpSession.ts"
import { Keyring } from "../rtp/Sdes.ts"
import {
  type AgreedSound,
  type Answer,
  answerOffer,
  type LocalSound,
  readAnswer,
  type SdpRefused,
  soundAddressIn,
  writeOffer,
} from "../rtp/Sdp.ts"

/** Whether an answer to the offer is possible, before there are ports for it. */
export const isAnswerable = (offer: string, encrypted: boolean): boolean => {
  const host = isIPv6(soundAddressIn(offer) ?? "") ? "::" : "0.0.0.0"
  const nowhere = { host, port: 9, session: 0, version: 0 }
  return Result.isSuccess(answerOffer(offer, { ...nowhere, direction: "sendrecv", keyring: new Keyring(), encrypted }))
}

/** The address of the caller's sound: where its messages come from, unless it wants sound over the other IP version. */
export const soundPeerOf = (offer: string | null, source: string): string => {
  const wanted = offer === null ? null : soundAddressIn(offer)
  return wanted !== null && isIP(wanted) !== 0 && isIP(wanted) !== isIP(source) ? wanted : source
}

export class CallSound {
  readonly rtp: RtpSession
  readonly #encrypted: boolean
  readonly #keyring = new Keyring()
  readonly #session = randomInt(2 ** 31)
  #version = 0

  constructor(rtp: RtpSession, encrypted: boolean) {
    this.rtp = rtp
    this.#encrypted = encrypted
  }

  get #local(): LocalSound {
    return {
      host: this.rtp.host,
      port: this.rtp.port,
      session: this.#session,
      version: this.#version,
      direction: "sendrecv",
      keyring: this.#keyring,
      encrypted: this.#encrypted,
    }
  }

  offer(): string {
    this.#version++
    return writeOffer(this.#local)
  }

  /** What the peer's answer to our offer agrees to. */
  accept(answer: string): Result.Result<AgreedSound, SdpRefused> {
    return readAnswer(answer, this.#local)
  }

  answer(offer: string): Result.Result<Answer, SdpRefused> {
    this.#version++
    return answerOffer(offer, this.#local)
  }
}
