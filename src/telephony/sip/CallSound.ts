/** Offer and answer of one call: writes our session descriptions and reads the peer's. */
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

/** Whether we can answer the offer. Needs no port. */
export const isAnswerable = (offer: string, encrypted: boolean): boolean => {
  const host = isIPv6(soundAddressIn(offer) ?? "") ? "::" : "0.0.0.0"
  const nowhere = { host, port: 9, session: 0, version: 0 }
  return Result.isSuccess(answerOffer(offer, { ...nowhere, direction: "sendrecv", keyring: new Keyring(), encrypted }))
}

/**
 * Returns the remote address by which to choose our own address for sound: the source of the caller's messages, unless
 * the offer names an address of the other IP version.
 */
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

  /** Reads the peer's answer to our offer. */
  accept(answer: string): Result.Result<AgreedSound, SdpRefused> {
    return readAnswer(answer, this.#local)
  }

  answer(offer: string): Result.Result<Answer, SdpRefused> {
    this.#version++
    return answerOffer(offer, this.#local)
  }
}
