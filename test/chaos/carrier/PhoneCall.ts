/** One call in the network, from the order to the last report. It outlives the Parley process that ordered it. */
import { GatheredParty, ms, Stopped } from "./GatheredParty.ts"
import { MediaStream } from "./MediaStream.ts"
import { type Behaviour, type Party, spokenMs } from "./Parties.ts"
import { StreamedParty } from "./StreamedParty.ts"
import { parse, type Verb } from "./Twiml.ts"

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

export interface Order {
  readonly sid: string
  readonly account_sid: string
  readonly to: string
  readonly from: string
  readonly url: string | null
  readonly twiml: string | null
  readonly status_callback: string | null
  readonly events: ReadonlySet<string>
  /** Seconds of ringing, and of talk, at most. */
  readonly ring_limit: number
  readonly time_limit: number
  readonly machine_callback: string | null
}

/** What a call needs of the carrier around it. */
export interface Network {
  readonly speed: number
  readonly between: (least: number, most: number) => number
  /** Written before it takes effect. */
  readonly note: (call: PhoneCall, event: "ring" | "answer" | "end", more?: Record<string, unknown>) => void
  readonly report: (call: PhoneCall, url: string, parameters: Record<string, string>) => void
  /** The key of the account's signatures. */
  readonly tokenOf: (call: PhoneCall) => string
  /** Milliseconds after which the network of a new stream breaks; null: it does not. */
  readonly cutsStreamAfter: () => number | null
  /** Asks what to do next; the answer is TwiML. */
  readonly ask: (call: PhoneCall, url: string, parameters: Record<string, string>) => Promise<string>
}

/** TwiML, or the URL at which it is asked for. */
type Instructions = { readonly twiml: string } | { readonly url: string | null }

const reported: Partial<Record<CallStatus, string>> = {
  initiated: "initiated",
  ringing: "ringing",
  "in-progress": "answered",
}

export class PhoneCall {
  status: CallStatus = "queued"
  readonly createdAt = new Date()
  startedAt: Date | null = null
  answeredAt: Date | null = null
  endedAt: Date | null = null
  sip: number | null = null
  readonly streams: Array<MediaStream> = []
  /** The far side of its streams. */
  voice: StreamedParty | null = null
  /** Digits that were played to the far side. */
  digits = ""
  readonly order: Order
  private readonly network: Network
  private sequence = 0
  private party: Party = { opening: null, lines: null }
  /** The far side of `<Say>` and `<Gather>`, from the answer on. */
  private gathered: GatheredParty | null = null
  private script = new AbortController()
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(order: Order, network: Network) {
    this.order = order
    this.network = network
  }

  get transcript(): GatheredParty["transcript"] {
    return this.gathered?.transcript ?? []
  }

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
    this.after((rings ?? this.order.ring_limit) * 1_000, () => this.end(status, sip))
  }

  /** A telephone calls the account's number: what to do is asked at the order's URL. */
  arrive(party: Party): void {
    this.startedAt = new Date()
    this.answer(party)
  }

  private ring(): void {
    this.network.note(this, "ring")
    this.becomes("ringing")
    this.after(this.order.ring_limit * 1_000, () => {
      if (this.answeredAt === null) this.end("no-answer", 487)
    })
  }

  private answer(party: Party): void {
    this.network.note(this, "answer")
    this.answeredAt = new Date()
    this.party = party
    this.gathered = new GatheredParty(party, {
      speed: this.network.speed,
      between: this.network.between,
      after: (phoneMs, act) => this.after(phoneMs, act),
      hangUp: () => this.end("completed", 200),
    })
    this.becomes("in-progress")
    this.after(this.order.time_limit * 1_000, () => this.end("completed", 200))
    if (party.hangs_up_after_ms !== undefined) this.after(party.hangs_up_after_ms, () => this.end("completed", 200))
    const machine = this.order.machine_callback
    if (machine !== null) {
      const wait = party.opening === null ? 5_000 : ms.opening + spokenMs(party.opening)
      const answered_by = party.opening === null ? "unknown" : party.machine ? "machine_end_beep" : "human"
      const { AccountSid, CallSid } = this.parameters
      const report = {
        CallSid: CallSid!,
        AccountSid: AccountSid!,
        AnsweredBy: answered_by,
        MachineDetectionDuration: "2000",
      }
      this.after(wait, () => this.network.report(this, machine, report))
    }
    this.follow(this.order.twiml === null ? { url: this.order.url } : { twiml: this.order.twiml }, this.gathered)
  }

  /** New instructions in the middle of the call: what was being said is cut. */
  redirect(to: Instructions): void {
    if (this.gathered !== null) this.follow(to, this.gathered)
  }

  end(status: CallStatus, sip: number | null): void {
    if (this.isOver) return
    this.network.note(this, "end", { status, sip, answered: this.answeredAt !== null })
    this.endedAt = new Date()
    this.sip = sip
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    this.script.abort(new Stopped())
    this.becomes(status)
  }

  private becomes(status: CallStatus): void {
    this.status = status
    const url = this.order.status_callback
    const event = reported[status] ?? "completed"
    if (url === null || !this.order.events.has(event)) return
    this.network.report(this, url, {
      ...this.parameters,
      CallbackSource: "call-progress-events",
      SequenceNumber: String(this.sequence++),
      Timestamp: new Date().toUTCString().replace("GMT", "+0000"),
      ...(event === "completed"
        ? {
            CallDuration: String(this.duration),
            Duration: String(Math.ceil(this.duration / 60)),
            ...(this.sip === null ? {} : { SipResponseCode: String(this.sip) }),
          }
        : {}),
    })
  }

  get parameters(): Record<string, string> {
    const { account_sid, from, sid, to } = this.order
    return {
      CallSid: sid,
      AccountSid: account_sid,
      From: from,
      To: to,
      Caller: from,
      Called: to,
      CallStatus: this.status,
      ApiVersion: "2010-04-01",
      Direction: "outbound-api",
    }
  }

  private follow(first: Instructions, party: GatheredParty): void {
    this.script.abort(new Stopped())
    this.script = new AbortController()
    const { signal } = this.script
    const run = async () => {
      let document = "twiml" in first ? first.twiml : await this.network.ask(this, first.url ?? "", this.parameters)
      while (!signal.aborted) {
        const more: string | null = await this.perform(parse(document), party, signal)
        if (more === null) return this.end("completed", 200)
        document = more
      }
    }
    run().catch((cause: unknown) => {
      if (signal.aborted || cause instanceof Stopped) return
      // An application error: the caller hears about it, and the call is over.
      console.error(`call ${this.order.sid}: ${String(cause)}`)
      this.end("completed", 200)
    })
  }

  /** Gives the next document, or null at the end of the call. */
  private async perform(verbs: ReadonlyArray<Verb>, party: GatheredParty, signal: AbortSignal): Promise<string | null> {
    for (const verb of verbs) {
      const attribute = (name: string, otherwise: number) => Number(verb.attributes[name] ?? otherwise)
      const url = verb.attributes["action"] ?? verb.text.trim()
      switch (verb.name) {
        case "Say":
          await party.hear(verb.text, false, signal)
          break
        case "Pause":
          await party.sleep(attribute("length", 1) * 1_000, signal)
          break
        case "Play":
          this.digits += verb.attributes["digits"] ?? ""
          await party.sleep((verb.attributes["digits"] ?? "").length * 200, signal)
          break
        case "Connect":
          await this.connect(verb, signal)
          break
        case "Hangup":
          return null
        case "Reject":
          this.end("busy", 486)
          throw new Stopped()
        case "Redirect":
          return await this.network.ask(this, url, this.parameters)
        case "Dial": {
          await party.sleep(1_500, signal)
          const isReached = !verb.text.trim().endsWith("00")
          if (isReached) await party.sleep(5_000, signal)
          const status = isReached ? "completed" : "no-answer"
          if (verb.attributes["action"] === undefined) break
          return await this.network.ask(this, url, { ...this.parameters, DialCallStatus: status })
        }
        case "Gather": {
          let cut = false
          for (const inner of verb.children)
            cut ||= inner.name === "Say" && (await party.hear(inner.text, true, signal))
          const speech = await party.speak(attribute("timeout", 5) * 1_000, signal)
          if (speech === null && verb.attributes["actionOnEmptyResult"] !== "true") break
          const result: Record<string, string> =
            speech === null ? { SpeechResult: "" } : { SpeechResult: speech, Confidence: "0.94", Language: "en-US" }
          return await this.network.ask(this, url, { ...this.parameters, ...result })
        }
        default:
          throw new Error(`<${verb.name}> is not spoken here`)
      }
    }
    return null
  }

  /** Until the server closes the stream; new instructions end it too. */
  private async connect({ children }: Verb, signal: AbortSignal): Promise<void> {
    const [verb] = children
    if (verb?.name !== "Stream") throw new Error("<Connect> without a <Stream>")
    const url = verb.attributes["url"] ?? ""
    if (!/^wss?:\/\/[^?#]+$/.test(url)) throw new Error(`${url} is no URL of a stream`)
    const parameters = Object.fromEntries(
      verb.children.map(({ attributes }) => [attributes["name"] ?? "", attributes["value"] ?? ""]),
    )
    const { account_sid, sid } = this.order
    this.voice ??= new StreamedParty(this.party, this.network.between, () => this.end("completed", 200))
    const token = this.network.tokenOf(this)
    const stream = new MediaStream({ url, parameters, account_sid, call_sid: sid, token }, this.voice)
    this.streams.push(stream)
    signal.addEventListener("abort", () => stream.leave())
    const cutAfter = this.network.cutsStreamAfter()
    const cut = cutAfter === null ? undefined : setTimeout(() => stream.cut(), cutAfter)
    await stream.over
    clearTimeout(cut)
    if (signal.aborted) throw new Stopped()
  }

  private after(phoneMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      if (!this.isOver) act()
    }, phoneMs / this.network.speed)
    this.timers.add(timer)
  }
}
