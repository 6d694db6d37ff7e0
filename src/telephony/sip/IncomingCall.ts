/** A call that a peer places to us (RFC 3261 §13.3). It rings until we answer or refuse it, or its caller gives up. */
import { Authoriser } from "./Authoriser.ts"
import { sdpOf, withSdp } from "./Body.ts"
import { abilities, type CallParts, contactFor } from "./CallParts.ts"
import { type Dialog, dialogOfRequest } from "./Dialog.ts"
import type { Credentials } from "./Digest.ts"
import type { Hop, Source } from "./Hop.ts"
import { type Field, hasOption, type Request } from "./Message.ts"
import { ReliableRinging } from "./ReliableRinging.ts"
import type { ServerTransaction } from "./ServerTransaction.ts"
import { Session } from "./Session.ts"
import { answerTo } from "./SessionTimer.ts"

export class IncomingCall {
  readonly request: Request
  /** The caller's offer. Null: the caller wants our offer, and answers it in its ACK. */
  readonly offer: string | null
  /** Called when the caller gives up. */
  cancelled = () => {}
  private readonly transaction: ServerTransaction
  private readonly parts: CallParts
  private readonly hop: Hop
  private ringing: ReliableRinging | null = null
  /** The name that the peer's certificate must have, for our connections to it. */
  private serverName: string

  constructor(transaction: ServerTransaction, hop: Hop, parts: CallParts) {
    this.transaction = transaction
    this.request = transaction.request
    this.parts = parts
    this.hop = hop
    this.serverName = transaction.source.address
    const offer = sdpOf(transaction.request)
    this.offer = offer === "unsupported" ? null : offer
    transaction.cancelled = () => {
      this.refuse(487)
      this.cancelled()
    }
  }

  /** Where the call came from. */
  get source(): Source {
    return this.transaction.source
  }

  /** The dialog that our answer creates. With it, another process can hang up. */
  get dialog(): Dialog {
    return dialogOfRequest(this.request, this.transaction.tag, { ...this.source, serverName: this.serverName })
  }

  /** Sets the server that called. Its certificate must have this name when we connect to it. */
  recognise(server: string): void {
    this.serverName = server
  }

  get isSettled(): boolean {
    return this.transaction.isAnswered
  }

  /** Sends 180, unless the caller wants our offer and requires `100rel`: the offer would have to be in the 180. */
  ring(): void {
    const fields = [this.contact, ...abilities]
    if (!hasOption(this.request, "require", "100rel")) return this.transaction.respond(180, fields)
    if (this.offer === null || this.ringing !== null) return
    this.ringing = new ReliableRinging(this.transaction, this.parts)
    this.ringing.start(fields)
  }

  /** Answers the call. Null if the caller has given up. `credentials` answer challenges to our later requests. */
  answer(sdp: string, credentials: Credentials | null = null): Session | null {
    if (this.isSettled) return null
    this.ringing?.stop()
    const session = new Session(this.dialog, sdp, this.parts, new Authoriser(credentials), false)
    this.transaction.unacknowledged = () => {
      session.bye([])
      session.tell({ _tag: "Lost" })
    }
    const { body, fields } = withSdp(sdp)
    const timer = answerTo(this.request)
    this.transaction.respond(200, [this.contact, ...abilities, ...timer, ...fields], body)
    session.startTimer({ fields: timer }, false)
    return session
  }

  refuse(status: number, fields: ReadonlyArray<Field> = []): void {
    this.ringing?.stop()
    this.transaction.respond(status, fields)
  }

  private get contact(): Field {
    return contactFor(this.hop, this.parts.localPort(this.hop))
  }
}
