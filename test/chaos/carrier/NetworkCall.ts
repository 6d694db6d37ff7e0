/** One call in the network, from the order to the last report. It outlives the Parley process that ordered it. */
import { ms } from "./GatheredParty.ts"
import type { MediaStream } from "./MediaStream.ts"
import { type Behaviour, type Party, spokenMs } from "./Parties.ts"
import type { StreamedParty } from "./StreamedParty.ts"

export type CallStatus =
  | "queued"
  | "initiated"
  | "ringing"
  | "in-progress"
  | "completed"
  | "busy"
  | "no-answer"
  | "failed"
  | "canceled"

/** What a call needs of the carrier around it. */
export interface CallNetwork {
  readonly speed: number
  readonly between: (least: number, most: number) => number
  /** Called before the event takes effect. */
  readonly note: (call: NetworkCall, event: "ring" | "answer" | "end", more?: Record<string, unknown>) => void
  /** Milliseconds after which the network of a new stream breaks. Null if it does not. */
  readonly cutsStreamAfter: () => number | null
}

/** Milliseconds of phone time until a machine's greeting is over, or a person has said hello. */
export const greetingMs = ({ opening }: Party): number => (opening === null ? 5_000 : ms.opening + spokenMs(opening))

export abstract class NetworkCall {
  status: CallStatus = "queued"
  readonly createdAt = new Date()
  startedAt: Date | null = null
  answeredAt: Date | null = null
  endedAt: Date | null = null
  sip: number | null = null
  readonly streams: Array<MediaStream> = []
  /** The far end of its streams. */
  voice: StreamedParty | null = null
  /** Digits that were played to the far end. */
  digits = ""
  protected party: Party = { opening: null, lines: null }
  protected abstract readonly network: CallNetwork
  /** The most seconds of ringing and of talk. */
  private readonly limits: { readonly ring_limit: number; readonly time_limit: number }
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(limits: { readonly ring_limit: number; readonly time_limit: number }) {
    this.limits = limits
  }

  /** The carrier's id of the call, its numbers, and Parley's id if it is known. */
  abstract get names(): {
    readonly sid: string
    readonly from: string
    readonly to: string
    readonly call_id: string | null
  }

  /** Called when the status changes, to report it. */
  protected abstract becomes(status: CallStatus): void
  /** Called when the call is answered. */
  protected abstract begin(party: Party): void
  /** Called when the call is over. */
  protected abstract stop(): void

  get isOver(): boolean {
    return this.endedAt !== null
  }

  /** Whole seconds of phone time since the answer. */
  get duration(): number {
    if (this.answeredAt === null) return 0
    const real = (this.endedAt ?? new Date()).getTime() - this.answeredAt.getTime()
    return Math.max(1, Math.ceil((real * this.network.speed) / 1_000))
  }

  dial(behaviour: Behaviour): void {
    if (this.isOver) return
    this.startedAt = new Date()
    this.becomes("initiated")
    if ("answers" in behaviour) {
      this.ring()
      return this.after(this.network.between(2_000, 6_000), () => this.answer(behaviour.answers))
    }
    const { rings, sip, status } = behaviour.refuses
    if (rings === 0) return this.after(this.network.between(200, 800), () => this.end(status, sip))
    this.ring()
    this.after((rings ?? this.limits.ring_limit) * 1_000, () => this.end(status, sip))
  }

  protected ring(): void {
    this.network.note(this, "ring")
    this.becomes("ringing")
    this.after(this.limits.ring_limit * 1_000, () => {
      if (this.answeredAt === null) this.end("no-answer", 487)
    })
  }

  protected answer(party: Party): void {
    this.network.note(this, "answer")
    this.answeredAt = new Date()
    this.party = party
    this.becomes("in-progress")
    this.after(this.limits.time_limit * 1_000, () => this.end("completed", 200))
    if (party.hangs_up_after_ms !== undefined) this.after(party.hangs_up_after_ms, () => this.end("completed", 200))
    this.begin(party)
  }

  end(status: CallStatus, sip: number | null): void {
    if (this.isOver) return
    this.network.note(this, "end", { status, sip, answered: this.answeredAt !== null })
    this.endedAt = new Date()
    this.sip = sip
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    this.stop()
    this.becomes(status)
  }

  protected openStream(stream: MediaStream): MediaStream {
    this.streams.push(stream)
    const cutAfter = this.network.cutsStreamAfter()
    if (cutAfter !== null) {
      const cut = setTimeout(() => stream.cut(), cutAfter)
      void stream.over.then(() => clearTimeout(cut))
    }
    return stream
  }

  protected after(phoneMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      if (!this.isOver) act()
    }, phoneMs / this.network.speed)
    this.timers.add(timer)
  }
}
