/** One call over Telnyx: it follows commands, and reports by webhooks. */
import { randomUUID } from "node:crypto"
import { MediaStream } from "./MediaStream.ts"
import { type CallNetwork, type CallStatus, greetingMs, NetworkCall } from "./NetworkCall.ts"
import type { Behaviour, Party } from "./Parties.ts"
import { StreamedParty } from "./StreamedParty.ts"
import { telnyxWire } from "./StreamWire.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface TelnyxOrder {
  readonly sid: string
  readonly connection_id: string
  readonly to: string
  readonly from: string
  readonly direction: "incoming" | "outgoing"
  readonly ring_limit: number
  readonly time_limit: number
  /** The dial command. Empty for an inbound call. */
  readonly fields: Fields
  readonly webhook_url: string
}

/** What a call over Telnyx needs from the carrier. */
export interface TelnyxNetwork extends CallNetwork {
  readonly report: (url: string, body: object) => void
}

const text = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === "string" ? value : ""
}

/** Telnyx's words for the end of an unanswered call. */
const causes: Record<string, string> = {
  busy: "user_busy",
  canceled: "originator_cancel",
  "no-answer": "timeout",
}
const causesBySip: Record<number, string> = { 404: "not_found", 603: "call_rejected" }

export class TelnyxCall extends NetworkCall {
  readonly order: TelnyxOrder
  protected readonly network: TelnyxNetwork
  /** Set by the order, and changed by later commands. */
  private webhook_url: string
  private client_state: string
  /** The stream that was ordered before the answer. */
  private streaming: Fields
  /** The caller of an inbound call, who speaks once it is answered. */
  private caller: Party = { opening: null, lines: null }
  readonly leg = randomUUID()
  readonly session = randomUUID()

  constructor(order: TelnyxOrder, network: TelnyxNetwork) {
    super(order)
    this.order = order
    this.network = network
    this.webhook_url = order.webhook_url
    this.client_state = text(order.fields, "client_state")
    this.streaming = order.fields
  }

  get names() {
    const { from, sid, to } = this.order
    const [call_id = ""] = Buffer.from(this.client_state, "base64").toString().split(" ")
    return { sid, from, to, call_id: call_id === "" ? null : call_id }
  }

  /** The call as the API shows it. */
  get view(): object {
    return {
      record_type: "call",
      call_control_id: this.order.sid,
      call_leg_id: this.leg,
      call_session_id: this.session,
      client_state: this.client_state,
      is_alive: this.startedAt !== null && !this.isOver,
      call_duration: this.duration,
      start_time: this.startedAt?.toISOString(),
      end_time: this.endedAt?.toISOString(),
    }
  }

  /** A telephone calls the account's number. A webhook reports the call, which rings until a command comes. */
  arrive(behaviour: Behaviour): void {
    this.startedAt = new Date()
    this.caller = "answers" in behaviour ? behaviour.answers : { opening: null, lines: null }
    this.event("call.initiated", { direction: "incoming", state: "parked" })
    this.after(this.order.ring_limit * 1_000, () => {
      if (this.answeredAt === null) this.end("no-answer", null)
    })
  }

  /** Executes a command. Returns the error that refuses it, or null. */
  command(action: string, fields: Fields): { readonly code: string; readonly title: string } | null {
    if (this.isOver) return { code: "90018", title: "Call has already ended" }
    const isAnswered = this.answeredAt !== null
    if (action === "hangup") this.end(isAnswered ? "completed" : "canceled", isAnswered ? 200 : 487)
    else if (action === "answer" && !isAnswered) {
      this.webhook_url = text(fields, "webhook_url") || this.webhook_url
      this.client_state = text(fields, "client_state") || this.client_state
      this.streaming = fields
      this.answer(this.caller)
    } else if (action === "reject" && !isAnswered) this.end("busy", 486)
    else if (!isAnswered) return { code: "90034", title: "Call not answered yet" }
    else if (action === "send_dtmf") this.digits += text(fields, "digits")
    else if (action === "streaming_start") this.stream(fields)
    else if (action === "transfer") this.transfer(fields)
    else return { code: "10015", title: `${action} is not spoken here` }
    return null
  }

  protected becomes(status: CallStatus): void {
    this.status = status
    if (status === "initiated") this.event("call.initiated", { direction: "outgoing", state: "bridging" })
    else if (status === "in-progress") this.event("call.answered", {})
    else if (this.isOver) {
      const answered = this.answeredAt !== null
      const cause = answered ? "normal_clearing" : (causesBySip[this.sip ?? 0] ?? causes[status] ?? "unspecified")
      // Telnyx reports no SIP status for inbound calls.
      const isKnown = this.order.direction === "outgoing" && this.sip !== null
      const sip_hangup_cause = isKnown ? String(this.sip) : "unspecified"
      this.event("call.hangup", { state: "hangup", hangup_cause: cause, hangup_source: "callee", sip_hangup_cause })
    }
  }

  protected begin(party: Party): void {
    if (text(this.order.fields, "answering_machine_detection") !== "") {
      this.after(greetingMs(party), () => {
        const result = party.opening === null ? "not_sure" : party.machine === true ? "machine" : "human"
        this.event("call.machine.detection.ended", { result })
        if (result === "machine") this.event("call.machine.greeting.ended", { result: "beep_detected" })
      })
    }
    this.stream(this.streaming)
  }

  protected stop(): void {
    for (const stream of this.streams) stream.leave()
  }

  /** Starts a stream. The call continues whatever happens to it. */
  private stream(streaming: Fields): void {
    const url = text(streaming, "stream_url")
    if (url === "") return
    if (!/^wss?:\/\/[^?#]+$/.test(url)) throw new Error(`${url} is no URL of a stream`)
    this.voice ??= new StreamedParty(this.party, this.network.between, () => this.end("completed", 200))
    const { client_state } = this
    const wire = telnyxWire({ url, call_control_id: this.order.sid, client_state, streaming })
    const stream = this.openStream(new MediaStream(wire, this.voice))
    void stream.started.then(() => this.event("streaming.started", { stream_url: url }))
    void stream.over.then(() => {
      if (this.isOver) return
      const isFailed = stream.end?.how === "refused"
      const failed = { failure_reason: "connection_failed", stream_id: wire.sid, stream_type: "websocket" }
      this.event(isFailed ? "streaming.failed" : "streaming.stopped", isFailed ? failed : { stream_url: url })
    })
  }

  /** Transfers the call. Numbers that end in 00 do not answer; others talk for five seconds and hang up. */
  private transfer(fields: Fields): void {
    const to = text(fields, "to")
    const leg = {
      call_control_id: `v3:${randomUUID()}`,
      call_leg_id: randomUUID(),
      client_state: text(fields, "target_leg_client_state"),
      from: text(fields, "from"),
      to,
    }
    this.event("call.initiated", { ...leg, direction: "outgoing", state: "bridging" })
    this.after(1_500, () => {
      if (to.endsWith("00")) {
        const hangup_cause = "timeout"
        return this.event("call.hangup", { ...leg, hangup_cause, hangup_source: "callee", sip_hangup_cause: "487" })
      }
      this.event("call.answered", leg)
      this.event("call.bridged", leg)
      this.event("call.bridged", {})
      this.after(5_000, () => {
        this.event("call.hangup", { ...leg, hangup_cause: "normal_clearing", sip_hangup_cause: "200" })
        this.end("completed", 200)
      })
    })
  }

  private event(event_type: string, more: Fields): void {
    const { connection_id, from, sid, to } = this.order
    const payload = {
      call_control_id: sid,
      connection_id,
      call_leg_id: this.leg,
      call_session_id: this.session,
      client_state: this.client_state === "" ? null : this.client_state,
      from,
      to,
      start_time: this.startedAt?.toISOString(),
      ...more,
    }
    const occurred_at = new Date().toISOString()
    this.network.report(this.webhook_url, {
      data: { record_type: "event", event_type, id: randomUUID(), occurred_at, payload },
      meta: { attempt: 1, delivered_to: this.webhook_url },
    })
  }
}
