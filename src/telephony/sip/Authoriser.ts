/** Answers a trunk's digest challenges to our requests, and remembers the last challenge for later requests. */
import { authorise, type Challenge, chooseChallenge, type Credentials } from "./Digest.ts"
import { newId } from "./Ids.ts"
import { type Field, rawFieldsOf, type Response } from "./Message.ts"

export class Authoriser {
  private readonly credentials: Credentials | null
  private challenge: Challenge | null = null
  private name = "authorization"
  private count = 0

  constructor(credentials: Credentials | null) {
    this.credentials = credentials
  }

  /** Returns the authorisation fields of an outgoing request; none before the first challenge. */
  fieldsFor(method: string, uri: string): ReadonlyArray<Field> {
    const { challenge, credentials } = this
    if (challenge === null || credentials === null) return []
    this.count++
    return [[this.name, authorise({ challenge, credentials, method, uri, count: this.count, cnonce: newId() })]]
  }

  /**
   * Returns whether to send the request again after this refusal: it is the first challenge, or the nonce was stale.
   * `tries` counts the transmissions so far.
   */
  learns(refusal: Response, tries: number): boolean {
    if (this.credentials === null || tries > 2) return false
    const isProxy = refusal.status === 407
    if (!isProxy && refusal.status !== 401) return false
    const challenge = chooseChallenge(rawFieldsOf(refusal, isProxy ? "proxy-authenticate" : "www-authenticate"))
    if (challenge === null) return false
    const isRejected = this.challenge?.nonce === challenge.nonce || (tries > 1 && !challenge.isStale)
    this.challenge = challenge
    this.name = isProxy ? "proxy-authorization" : "authorization"
    this.count = 0
    return !isRejected
  }
}
