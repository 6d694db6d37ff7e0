/** The session descriptions of one call: what we offer and answer, and what becomes of its sound. */
import { Result } from "effect"
import { randomInt } from "node:crypto"
import type { RtpSession } from "../rtp/RtpSession.ts"
import { Keyring } from "../rtp/Sdes.ts"
import {
  type AgreedSound,
  type Answer,
  answerOffer,
  type LocalSound,
  readAnswer,
  type SdpRefused,
  writeOffer,
} from "../rtp/Sdp.ts"

/** Whether an answer to the offer is possible, before there are ports for it. */
export const isAnswerable = (offer: string, encrypted: boolean): boolean => {
  const nowhere = { host: "0.0.0.0", port: 9, session: 0, version: 0 }
  return Result.isSuccess(answerOffer(offer, { ...nowhere, direction: "sendrecv", keyring: new Keyring(), encrypted }))
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
