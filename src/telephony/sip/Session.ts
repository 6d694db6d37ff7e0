/**
 * An answered call of either direction (RFC 3261 §12 to §15). It sends and takes requests within the dialog until one
 * side sends a BYE. The peer's actions become events.
 */
import { randomInt } from "node:crypto"
import type { Authoriser } from "./Authoriser.ts"
import { sdpOf, withSdp } from "./Body.ts"
import { abilities, type CallParts, contactFor, type Receiver } from "./CallParts.ts"
import { hasLostDialog, isAccepted, isProvisional, type Result } from "./ClientTransaction.ts"
import { type Dialog, keyOfDialog, refreshTarget, requestIn } from "./Dialog.ts"
import type { Hop } from "./Hop.ts"
import { type Field, fieldOf, type Request, type Response } from "./Message.ts"
import { q850CauseOf } from "./Reason.ts"
import type { ServerTransaction } from "./ServerTransaction.ts"
import { refusalOf, SessionTimer } from "./SessionTimer.ts"
import { writeUri } from "./Uri.ts"

export type SessionEvent =
  /**
   * The peer sends a new offer: hold, another codec or another address. A null offer asks for ours. `answer` with null
   * refuses, and the session stays as it was.
   */
  | { readonly _tag: "Offered"; readonly offer: string | null; readonly answer: (sdp: string | null) => void }
  /** The peer answered an offer that it had asked for. */
  | { readonly _tag: "Answered"; readonly sdp: string }
  /** The peer pressed a key and reported it in an INFO. */
  | { readonly _tag: "Digit"; readonly digit: string }
  /** The progress of the transfer that we asked for, as a SIP status. */
  | { readonly _tag: "TransferProgress"; readonly status: number }
  | { readonly _tag: "HungUp"; readonly cause: number | null }
  /** The peer no longer answers, or no longer knows the call. */
  | { readonly _tag: "Lost" }

export type Listener = (event: SessionEvent) => void

/** The pause after both sides sent an offer at once (glare, §14.1), in milliseconds. */
const glarePause = { ownCall: [2_100, 4_000], theirs: [0, 2_000] } as const
const glareTries = 4
/** The most events that wait for a listener. The end of the call always does. */
const mostEarly = 64

export class Session implements Receiver {
  /** The present dialog. Another process needs it to end the call. */
  dialog: Dialog
  private readonly parts: CallParts
  private readonly authoriser: Authoriser
  private readonly isOurs: boolean
  private readonly timer: SessionTimer
  private listener: Listener | null = null
  private early: Array<SessionEvent> = []
  private isOver = false
  /**
   * Whether the peer has shown that it receives our messages. Until then our requests go to the source of the INVITE:
   * the INVITE may be forged, and its `Contact` may name an uninvolved address.
   */
  private isConfirmed: boolean
  private confirmed = (_isConfirmed: boolean) => {}
  /** Our own session description, which a refresh repeats. */
  private localSdp: string
  private ourOffer = false
  private theirOffer: ServerTransaction | null = null

  constructor(dialog: Dialog, localSdp: string, parts: CallParts, authoriser: Authoriser, isOurs: boolean) {
    this.dialog = dialog
    this.localSdp = localSdp
    this.parts = parts
    this.authoriser = authoriser
    this.isOurs = isOurs
    this.isConfirmed = isOurs
    this.timer = new SessionTimer(parts.schedule, {
      refresh: () => this.refresh(),
      expired: () => this.lose(),
    })
    parts.sessions.set(this.key, this)
  }

  get hasEnded(): boolean {
    return this.isOver
  }

  /**
   * Calls `run(true)` once the peer has acknowledged our answer or sent another request within the call, and
   * `run(false)` if the session is over before that.
   */
  onConfirmed(run: (isConfirmed: boolean) => void): void {
    if (this.isConfirmed || this.isOver) return run(this.isConfirmed)
    this.confirmed = run
  }

  /** Sets the listener. With null, events wait for the next one. */
  listen(listener: Listener | null): void {
    this.listener = listener
    while (this.listener !== null) {
      const event = this.early.shift()
      if (event === undefined) return
      this.listener(event)
    }
  }

  /** Starts the session timer from a 2xx of either side, which says who refreshes the session and how often. */
  startTimer(message: Pick<Response, "fields">, isOurRequest: boolean): void {
    this.timer.start(message, isOurRequest)
  }

  /** Sends a new offer. `then` gets the answer, or null if the peer refused or glare occurred too often. */
  offer(sdp: string, then: (answer: string | null) => void, tries = 1): void {
    if (this.isOver) return then(null)
    if (this.ourOffer || this.theirOffer !== null) return this.offerLater(sdp, then, tries)
    this.ourOffer = true
    let isAnswered = false
    const { body, fields } = withSdp(sdp)
    this.send("INVITE", [...fields, ...this.timer.offer()], body, (result, acknowledge) => {
      if (isProvisional(result)) return
      // A repeated 2xx: its ACK was lost.
      if (isAnswered) return acknowledge()
      isAnswered = true
      this.ourOffer = false
      if (typeof result !== "string" && result.status === 491) return this.offerLater(sdp, then, tries)
      if (!isAccepted(result)) return then(null)
      this.dialog = refreshTarget(this.dialog, result)
      acknowledge()
      this.localSdp = sdp
      this.timer.start(result, true)
      const answer = sdpOf(result)
      then(answer === "unsupported" ? null : answer)
    })
  }

  /** Sends a BYE. Calls `then` once the peer has answered it, or after 32 seconds. */
  bye(fields: ReadonlyArray<Field>, then: () => void = () => {}): void {
    if (this.isOver) return then()
    this.close()
    this.send("BYE", fields, undefined, (result) => {
      if (!isProvisional(result)) then()
    })
  }

  /**
   * Sends a REFER: asks the peer to call `target` itself. Its progress comes as events. `then(false)`: the peer
   * refused.
   */
  refer(target: string, then: (accepted: boolean) => void): void {
    const fields: ReadonlyArray<Field> = [
      ["refer-to", `<${target}>`],
      ["referred-by", this.dialog.local],
    ]
    this.send("REFER", fields, undefined, (result) => {
      if (!isProvisional(result)) then(isAccepted(result))
    })
  }

  /** Sends a key in an INFO, for peers that take no key events. */
  sendDigit(digit: string, durationMs: number): void {
    const body = Buffer.from(`Signal=${digit}\r\nDuration=${durationMs}\r\n`)
    this.send("INFO", [["content-type", "application/dtmf-relay"]], body, () => {})
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    const { remote_sequence } = this.dialog
    if (remote_sequence !== null && request.cseq < remote_sequence) return transaction.respond(500)
    this.dialog = { ...this.dialog, remote_sequence: request.cseq }
    this.confirm()
    const handle = handlers[request.method]
    if (handle === undefined) return transaction.respond(501)
    handle(this, transaction)
  }

  /** Takes the ACK of our 2xx. It may carry the answer to an offer that the peer asked for. */
  acknowledge(request: Request): void {
    this.confirm()
    const sdp = sdpOf(request)
    if (sdp !== null && sdp !== "unsupported") this.tell({ _tag: "Answered", sdp })
  }

  private confirm(): void {
    if (this.isConfirmed) return
    this.isConfirmed = true
    this.confirmed(true)
  }

  /** Ends the session, whichever side ended the call. */
  end(event: SessionEvent): void {
    if (this.isOver) return
    this.close()
    this.tell(event)
  }

  /** Ends the session because the peer seems gone. Sends it a BYE in case it is not. */
  private lose(): void {
    if (this.isOver) return
    this.bye([])
    this.tell({ _tag: "Lost" })
  }

  tell(event: SessionEvent): void {
    if (this.listener !== null) return this.listener(event)
    if (this.early.length < mostEarly || event._tag === "HungUp" || event._tag === "Lost") this.early.push(event)
  }

  /** Takes a re-INVITE or UPDATE of the peer. */
  receiveOffer(transaction: ServerTransaction): void {
    const { request } = transaction
    if (this.ourOffer) return transaction.respond(491)
    if (this.theirOffer?.isAnswered === false) return transaction.respond(500, [["retry-after", "2"]])
    const tooSmall = refusalOf(request)
    if (tooSmall !== null) return transaction.respond(422, tooSmall)
    const offer = sdpOf(request)
    if (offer === "unsupported") return transaction.respond(415, [["accept", "application/sdp"]])
    this.dialog = refreshTarget(this.dialog, request)
    if (offer === null && request.method === "UPDATE") return this.accept(transaction, null)
    this.theirOffer = transaction
    transaction.cancelled = () => transaction.respond(487)
    transaction.unacknowledged = () => this.lose()
    const answer = (sdp: string | null) => {
      this.theirOffer = null
      if (sdp === null) return transaction.respond(488)
      this.localSdp = sdp
      this.accept(transaction, sdp)
    }
    if (this.listener === null) return answer(null)
    this.tell({ _tag: "Offered", offer, answer })
  }

  private accept(transaction: ServerTransaction, sdp: string | null): void {
    const { body, fields } = withSdp(sdp)
    const { request } = transaction
    this.parts.resolve(this.dialog.target, this.dialog.place, (hop) => {
      transaction.respond(200, [this.contact(hop), ...abilities, ...fields, ...this.timer.answer(request)], body)
    })
  }

  /**
   * Refreshes the session at half of its interval: by an UPDATE, or by a re-INVITE if the peer does not support UPDATE.
   */
  private refresh(): void {
    this.send("UPDATE", this.timer.offer(), undefined, (result) => {
      if (isProvisional(result) || hasLostDialog(result)) return
      if (isAccepted(result)) return this.timer.start(result, true)
      this.offer(this.localSdp, () => {})
    })
  }

  private offerLater(sdp: string, then: (answer: string | null) => void, tries: number): void {
    if (tries >= glareTries) return then(null)
    const [least, most] = this.isOurs ? glarePause.ownCall : glarePause.theirs
    this.parts.schedule(randomInt(least, most), () => this.offer(sdp, then, tries + 1))
  }

  /** Sends a request within the dialog. Ends the session if the result shows that the peer has lost the call. */
  private send(
    method: string,
    fields: ReadonlyArray<Field>,
    body: Buffer | undefined,
    on: (result: Result, acknowledge: () => void) => void,
    tries = 1,
  ): void {
    const sequence = this.dialog.local_sequence + 1
    this.dialog = { ...this.dialog, local_sequence: sequence }
    const { dialog } = this
    const { fields: own, next, uri } = requestIn(dialog, method, sequence)
    const { address, port } = dialog.place
    this.parts.resolve(this.isConfirmed ? next : writeUri(null, address, port), dialog.place, (hop) => {
      const all = [...own, this.contact(hop), ...abilities, ...this.authoriser.fieldsFor(method, uri), ...fields]
      const receive = (result: Result) => {
        if (typeof result !== "string" && this.authoriser.learns(result, tries))
          return this.send(method, fields, body, on, tries + 1)
        on(result, () => this.acknowledgeAnswer(sequence))
        if (hasLostDialog(result)) this.end({ _tag: "Lost" })
      }
      this.parts.transactions.request({
        method,
        uri,
        fields: all,
        hop,
        on: receive,
        ...(body === undefined ? {} : { body }),
      })
    })
  }

  private acknowledgeAnswer(sequence: number): void {
    const { fields, next, uri } = requestIn(this.dialog, "ACK", sequence)
    this.parts.resolve(next, this.dialog.place, (hop) => this.parts.transactions.acknowledge({ fields, uri, hop }))
  }

  private get key(): string {
    const { call_id, local_tag, remote_tag } = this.dialog
    return keyOfDialog(call_id, local_tag, remote_tag)
  }

  private contact(hop: Hop): Field {
    return contactFor(hop, this.parts.localPort(hop))
  }

  private close(): void {
    this.isOver = true
    if (!this.isConfirmed) this.confirmed(false)
    this.timer.stop()
    this.parts.sessions.delete(this.key)
  }
}

const digitLine = /^\s*Signal\s*=\s*([0-9A-D*#])\s*$/im
const statusOfFragment = /^SIP\/2\.0 (\d{3})/i

/** The requests that a peer may send within a dialog. */
const handlers: Record<string, (session: Session, transaction: ServerTransaction) => void> = {
  BYE: (session, transaction) => {
    transaction.respond(200)
    session.end({ _tag: "HungUp", cause: q850CauseOf(fieldOf(transaction.request, "reason")) })
  },
  INVITE: (session, transaction) => session.receiveOffer(transaction),
  UPDATE: (session, transaction) => session.receiveOffer(transaction),
  OPTIONS: (_, transaction) => transaction.respond(200, abilities),
  // A PRACK for our 180 that arrives after the answer.
  PRACK: (_, transaction) => transaction.respond(200),
  INFO: (session, transaction) => {
    transaction.respond(200)
    const [, digit] = digitLine.exec(transaction.request.body.toString("latin1", 0, 200)) ?? []
    if (digit !== undefined) session.tell({ _tag: "Digit", digit })
  },
  NOTIFY: (session, transaction) => {
    transaction.respond(200)
    const [, status] = statusOfFragment.exec(transaction.request.body.toString("latin1", 0, 200)) ?? []
    if (status !== undefined) session.tell({ _tag: "TransferProgress", status: Number(status) })
  },
  // Refused: the peer would make us place a call that none of our rules allows.
  REFER: (_, transaction) => transaction.respond(603),
}
