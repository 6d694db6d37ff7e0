/**
 * A call that we place (RFC 3261 §13.2). It sends an INVITE, repeats it with credentials if the trunk asks for them,
 * and ends when the call is answered, refused or cancelled.
 */
import type { Array as Arr } from "effect"
import { Authoriser } from "./Authoriser.ts"
import { sdpOf, withSdp } from "./Body.ts"
import { abilities, type CallParts, contactFor } from "./CallParts.ts"
import { type ClientTransaction, isServerFailure, type Result } from "./ClientTransaction.ts"
import { type Dialog, dialogOfResponse, requestIn } from "./Dialog.ts"
import type { Credentials } from "./Digest.ts"
import { parseNumber, tagOf } from "./Fields.ts"
import type { Hop } from "./Hop.ts"
import { newId } from "./Ids.ts"
import type { Invitation } from "./Invitation.ts"
import { type Field, fieldOf, hasOption, type Response } from "./Message.ts"
import { q850CauseOf } from "./Reason.ts"
import { Session } from "./Session.ts"
import { minimumOf, offerOf } from "./SessionTimer.ts"
import { transactionLife } from "./Timers.ts"

export interface Order {
  /** The URI that is called. */
  readonly to: string
  /** The caller, as `From` shows it: `<sip:+14155550100@example.com>`. */
  readonly from: string
  /** Our session description. */
  readonly offer: string
  /**
   * The addresses of the trunk. The next one is tried if the INVITE certainly did not arrive, or is answered with 503.
   */
  readonly hops: Arr.NonEmptyReadonlyArray<Hop>
  readonly credentials: Credentials | null
  readonly callId: string
  /** Seconds after which the peer stops ringing if this process has died (RFC 3261 §13.2.1). */
  readonly expires: number
}

/** Why a call was not answered. The status is 0 if no final response came. */
export interface Refusal {
  readonly status: number
  readonly cause: number | null
  /** The peer's reason, as evidence. Clients never see it. */
  readonly detail: string
}

export interface Progress {
  /** The trunk has received the latest INVITE. From now on it can be cancelled. */
  readonly arrived: (invitation: Invitation) => void
  /** A provisional response came: 180 means ringing, and one with `sdp` begins early media. */
  readonly provisional: (status: number, sdp: string | null) => void
  /**
   * The call was answered. The peer repeats its answer until `acknowledge` is called, and ends the call after 32
   * seconds without it.
   */
  readonly answered: (session: Session, answer: string) => void
  readonly refused: (refusal: Refusal) => void
}

/** The status of a call that we cancelled, whatever the peer reports. */
const cancelled = 487

/** The most phones of one forked call that are followed. */
const mostPhones = 16
/**
 * The most reliable provisional responses that get a PRACK. Each PRACK is a request that is repeated until it is
 * answered.
 */
const mostConfirmed = 4 * mostPhones

type EarlyDialog = Pick<Dialog, "call_id" | "local" | "local_tag" | "local_sequence" | "remote" | "target">

export class OutgoingCall {
  private readonly order: Order
  private readonly parts: CallParts
  private readonly progress: Progress
  private readonly authoriser: Authoriser
  private readonly localTag = newId()
  private hop: Hop
  private readonly otherHops: Array<Hop>
  private sequence = 0
  private tries = 0
  private minimum: number | undefined
  private transaction: ClientTransaction | null = null
  private hasProvisional = false
  private isSettled = false
  /** The `Reason` of the CANCEL; null as long as the call must not be cancelled. */
  private cancelling: ReadonlyArray<Field> | null = null
  private isCancelSent = false
  /** The session of the phone that answered first. The other phones' sessions are hung up. */
  private session: Session | null = null
  /** The tags of the phones that were hung up. */
  private readonly hungUp = new Set<string>()
  /** Whether the answer may be acknowledged. */
  private isTaken = false
  /** Sequence number of the INVITE that was answered. */
  private answeredSequence = 0
  /** Reliable provisional responses that were confirmed, by tag and number. */
  private readonly confirmed = new Set<string>()
  /**
   * The session descriptions in reliable provisional responses, by tag: the answer to our offer, which a 2xx need not
   * repeat (RFC 3262 §5).
   */
  private readonly answers = new Map<string, string>()

  constructor(order: Order, parts: CallParts, progress: Progress) {
    this.order = order
    this.parts = parts
    this.progress = progress
    this.authoriser = new Authoriser(order.credentials)
    const [first, ...others] = order.hops
    this.hop = first
    this.otherHops = others
  }

  /** The part of the dialog that is known before an answer. */
  private get dialog(): EarlyDialog {
    const { callId, from, to } = this.order
    const numbers = { local_tag: this.localTag, local_sequence: this.sequence }
    return { call_id: callId, local: from, remote: `<${to}>`, target: to, ...numbers }
  }

  invite(): void {
    this.sequence++
    this.tries++
    this.hasProvisional = false
    this.isCancelSent = false
    const { hop } = this
    const { offer } = this.order
    const dialog = { ...this.dialog, remote_tag: "", remote_sequence: null, routes: [], place: hop }
    const { fields, uri } = requestIn(dialog, "INVITE", this.sequence)
    const { body, fields: described } = withSdp(offer)
    this.transaction = this.parts.transactions.request({
      method: "INVITE",
      uri,
      hop,
      body,
      fields: [
        ...fields,
        contactFor(hop, this.parts.localPort(hop)),
        ...abilities,
        ...offerOf(this.minimum),
        ["expires", String(this.order.expires)],
        ...this.authoriser.fieldsFor("INVITE", uri),
        ...described,
      ],
      on: (result) => this.receive(result),
    })
  }

  /**
   * Cancels the call. `progress` then reports a refusal with 487, even if an answer crossed the CANCEL: in that case
   * the answered session is hung up first.
   */
  cancel(reason: ReadonlyArray<Field>): void {
    if (this.isSettled || this.cancelling !== null) return
    this.cancelling = reason
    this.sendCancel()
  }

  /** Sends the CANCEL, which must wait until a provisional response shows that the INVITE has arrived (§9.1). */
  private sendCancel(): void {
    const { cancelling, transaction } = this
    if (cancelling === null || transaction === null || !this.hasProvisional || this.isCancelSent) return
    this.isCancelSent = true
    this.parts.transactions.cancel(transaction.invitation, cancelling, () => {})
    // §9.1: a peer that does not end the INVITE after its CANCEL never will.
    this.parts.schedule(transactionLife, () => {
      if (this.isSettled) return
      this.parts.transactions.abandon(transaction)
      this.refuse({ status: cancelled, cause: null, detail: "the trunk did not end the call after its CANCEL" })
    })
  }

  private receive(result: Result): void {
    if (this.mayTryElsewhere(result)) return this.invite()
    if (typeof result === "string") {
      const detail = result === "timeout" ? "the trunk did not answer" : "the trunk could not be reached"
      return this.refuse({ status: 0, cause: null, detail })
    }
    if (result.status < 200) return this.receiveProvisional(result)
    if (result.status < 300) return this.receiveAnswer(result)
    if (this.cancelling === null && this.mayTryAgain(result)) return this.invite()
    const reason = fieldOf(result, "reason")
    const detail = `${result.status} ${result.reason}${reason === undefined ? "" : ` (${reason})`}`.slice(0, 200)
    this.refuse({ status: result.status, cause: q850CauseOf(reason), detail })
  }

  private receiveProvisional(response: Response): void {
    const isFirst = !this.hasProvisional
    this.hasProvisional = true
    this.sendCancel()
    if (isFirst && this.transaction !== null && !this.isSettled) this.progress.arrived(this.transaction.invitation)
    if (response.status === 100 || this.isSettled) return
    const described = sdpOf(response)
    const sdp = described === "unsupported" ? null : described
    if (hasOption(response, "require", "100rel")) {
      this.confirm(response)
      if (sdp !== null && this.answers.size < mostPhones) this.answers.set(tagOf(response.to), sdp)
    }
    this.progress.provisional(response.status, sdp)
  }

  /** PRACK (RFC 3262): without it the peer repeats the response and may give up. */
  private confirm(response: Response): void {
    const number = parseNumber(fieldOf(response, "rseq"), 2 ** 31 - 1)
    const key = `${tagOf(response.to)} ${number}`
    if (number === null || this.confirmed.has(key) || this.confirmed.size >= mostConfirmed) return
    this.confirmed.add(key)
    const invited = this.sequence
    this.sequence++
    const dialog = dialogOfResponse(this.dialog, response, this.hop)
    const { fields, next, uri } = requestIn(dialog, "PRACK", this.sequence)
    const all: ReadonlyArray<Field> = [...fields, ["rack", `${number} ${invited} INVITE`]]
    this.parts.resolve(next, dialog.place, (hop) =>
      this.parts.transactions.request({ method: "PRACK", uri, fields: all, hop, on: () => {} }),
    )
  }

  private receiveAnswer(response: Response): void {
    const dialog = dialogOfResponse(this.dialog, response, this.hop)
    // A repeated 2xx: its ACK was lost or is not due yet.
    if (this.session?.dialog.remote_tag === dialog.remote_tag) return this.isTaken ? this.sendAck(dialog) : undefined
    if (this.session !== null) return this.hangUpOther(dialog)
    const session = this.sessionOf(dialog)
    this.session = session
    this.answeredSequence = response.cseq
    this.isSettled = true
    const answer = sdpOf(response) ?? this.answers.get(dialog.remote_tag) ?? null
    if (this.cancelling !== null || answer === null || answer === "unsupported") {
      const refusal =
        this.cancelling === null
          ? { status: 0, cause: null, detail: "the answer has no session description" }
          : { status: cancelled, cause: null, detail: "answered while cancelled" }
      this.acknowledge()
      return session.bye([], () => this.progress.refused(refusal))
    }
    session.startTimer(response, true)
    this.progress.answered(session, answer)
  }

  private sessionOf(dialog: Dialog): Session {
    return new Session(dialog, this.order.offer, this.parts, this.authoriser, true)
  }

  /** Hangs up another phone that answered. Its 2xx is repeated until it gets our ACK. */
  private hangUpOther(dialog: Dialog): void {
    const isNew = !this.hungUp.has(dialog.remote_tag)
    if (isNew && this.hungUp.size >= mostPhones) return
    this.sendAck(dialog)
    if (!isNew) return
    this.hungUp.add(dialog.remote_tag)
    this.sessionOf(dialog).bye([])
  }

  /** Confirms the answer, and each repetition of it. */
  acknowledge(): void {
    if (this.isTaken || this.session === null) return
    this.isTaken = true
    this.sendAck(this.session.dialog)
  }

  private sendAck(dialog: Dialog): void {
    const { fields, next, uri } = requestIn(dialog, "ACK", this.answeredSequence)
    this.parts.resolve(next, dialog.place, (hop) => this.parts.transactions.acknowledge({ fields, uri, hop }))
  }

  /**
   * Tries the server's next address (RFC 3263 §4.3), but not after silence: the INVITE may have arrived, and a second
   * one would ring the same person twice.
   */
  private mayTryElsewhere(result: Result): boolean {
    if (!isServerFailure(result)) return false
    this.parts.avoid(this.hop)
    const next = result === "timeout" || this.cancelling !== null ? undefined : this.otherHops.shift()
    if (next === undefined) return false
    this.hop = next
    this.tries = 0
    return true
  }

  /** Sends the INVITE again with credentials, or with a longer session interval. */
  private mayTryAgain(refusal: Response): boolean {
    if (this.authoriser.learns(refusal, this.tries)) return true
    if (refusal.status !== 422 || this.minimum !== undefined) return false
    this.minimum = minimumOf(refusal)
    return true
  }

  private refuse(refusal: Refusal): void {
    if (this.isSettled) return
    this.isSettled = true
    this.progress.refused(refusal)
  }
}
