/**
 * Reliable ringing (RFC 3262) for a caller that requires `100rel`: repeats the 180 until the PRACK comes, or the call
 * is answered or refused. In this early dialog the caller may send only PRACK and OPTIONS.
 */
import { randomInt } from "node:crypto"
import type { CallParts, Receiver } from "./CallParts.ts"
import { keyOfDialog } from "./Dialog.ts"
import { tagOf } from "./Fields.ts"
import { type Field, fieldOf } from "./Message.ts"
import type { ServerTransaction } from "./ServerTransaction.ts"
import { t1, transactionLife } from "./Timers.ts"

/** RFC 3262 §3: the first number is below 2³¹. */
const mostFirst = 2 ** 31 - 1

export class ReliableRinging implements Receiver {
  private readonly invite: ServerTransaction
  private readonly parts: CallParts
  private readonly number = randomInt(1, mostFirst)
  private isConfirmed = false
  private cancel = () => {}

  constructor(invite: ServerTransaction, parts: CallParts) {
    this.invite = invite
    this.parts = parts
  }

  start(fields: ReadonlyArray<Field>): void {
    this.parts.sessions.set(this.key, this)
    this.invite.respond(180, [["require", "100rel"], ["rseq", String(this.number)], ...fields])
    this.repeatAfter(t1)
  }

  /** Stops repeating: the call was answered, refused or given up. */
  stop(): void {
    this.cancel()
    if (this.parts.sessions.get(this.key) === this) this.parts.sessions.delete(this.key)
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    const { cseq } = this.invite.request
    if (request.method === "OPTIONS") return transaction.respond(200)
    const isOurs = fieldOf(request, "rack")?.trim().split(/\s+/).join(" ") === `${this.number} ${cseq} INVITE`
    if (request.method !== "PRACK" || !isOurs) return transaction.respond(481)
    this.isConfirmed = true
    this.cancel()
    transaction.respond(200)
  }

  acknowledge(): void {}

  /** §3: repeats the 180 for at most the life of a transaction. A caller that never confirms is still answered. */
  private repeatAfter(pause: number, waited = 0): void {
    if (waited + pause > transactionLife) return
    this.cancel = this.parts.schedule(pause, () => {
      if (this.isConfirmed || this.invite.isAnswered) return
      this.invite.repeat()
      this.repeatAfter(2 * pause, waited + pause)
    })
  }

  private get key(): string {
    const { callId, from } = this.invite.request
    return keyOfDialog(callId, this.invite.tag, tagOf(from))
  }
}
