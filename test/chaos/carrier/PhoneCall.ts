/** One call in the network, from the order to the last report. It lives here, whatever becomes of who ordered it. */
import { MediaStream } from "./MediaStream.ts"
import { type Behaviour, type Party, saysGoodbye, spokenMs } from "./Parties.ts"
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

/** The other side stopped listening, or other instructions came. */
class Stopped extends Error {}

const reported: Partial<Record<CallStatus, string>> = {
  initiated: "initiated",
  ringing: "ringing",
  "in-progress": "answered",
}

/** How long somebody thinks before an answer, when somebody who talks over the agent begins, and so on: phone time. */
const ms = { opening: 300, thinkLeast: 300, thinkMost: 900, farewell: 600, barge: 1_200, drop: 900, records: 600_000 }

export class PhoneCall {
  status: CallStatus = "queued"
  readonly createdAt = new Date()
  startedAt: Date | null = null
  answeredAt: Date | null = null
  endedAt: Date | null = null
  sip: number | null = null
  readonly transcript: Array<{ readonly role: "agent" | "caller"; readonly text: string }> = []
  readonly streams: Array<MediaStream> = []
  /** The far side of its streams. */
  voice: StreamedParty | null = null
  /** Digits that were played to the far side. */
  digits = ""
  readonly order: Order
  private readonly network: Network
  private sequence = 0
  private party: Party | null = null
  private lines: Array<string> = []
  /** What the other side says next, and when, in milliseconds of `Date.now`. */
  private next: { readonly at: number; readonly text: string; readonly thenHangsUp: boolean } | null = null
  private script = new AbortController()
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(order: Order, network: Network) {
    this.order = order
    this.network = network
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
    this.lines = [...(party.lines ?? [])]
    this.becomes("in-progress")
    this.after(this.order.time_limit * 1_000, () => this.end("completed", 200))
    if (party.hangs_up_after_ms !== undefined) this.after(party.hangs_up_after_ms, () => this.end("completed", 200))
    if (party.opening !== null) this.plans(party.opening, ms.opening, false)
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
    this.follow(this.order.twiml === null ? { url: this.order.url } : { twiml: this.order.twiml })
  }

  /** New instructions in the middle of the call: what was being said is cut. */
  redirect(to: { readonly twiml: string } | { readonly url: string | null }): void {
    this.follow(to)
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

  private follow(first: { readonly twiml: string } | { readonly url: string | null }): void {
    this.script.abort(new Stopped())
    this.script = new AbortController()
    const { signal } = this.script
    const run = async () => {
      let document = "twiml" in first ? first.twiml : await this.network.ask(this, first.url ?? "", this.parameters)
      while (!signal.aborted) {
        const more: string | null = await this.perform(parse(document), signal)
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
  private async perform(verbs: ReadonlyArray<Verb>, signal: AbortSignal): Promise<string | null> {
    for (const verb of verbs) {
      const attribute = (name: string, otherwise: number) => Number(verb.attributes[name] ?? otherwise)
      const url = verb.attributes["action"] ?? verb.text.trim()
      switch (verb.name) {
        case "Say":
          await this.says(verb.text, false, signal)
          break
        case "Pause":
          await this.sleep(attribute("length", 1) * 1_000, signal)
          break
        case "Play":
          this.digits += verb.attributes["digits"] ?? ""
          await this.sleep((verb.attributes["digits"] ?? "").length * 200, signal)
          break
        case "Connect":
          await this.connects(verb, signal)
          break
        case "Hangup":
          return null
        case "Reject":
          this.end("busy", 486)
          throw new Stopped()
        case "Redirect":
          return await this.network.ask(this, url, this.parameters)
        case "Dial": {
          await this.sleep(1_500, signal)
          const isReached = !verb.text.trim().endsWith("00")
          if (isReached) await this.sleep(5_000, signal)
          const status = isReached ? "completed" : "no-answer"
          if (verb.attributes["action"] === undefined) break
          return await this.network.ask(this, url, { ...this.parameters, DialCallStatus: status })
        }
        case "Gather": {
          let cut = false
          for (const inner of verb.children) cut ||= inner.name === "Say" && (await this.says(inner.text, true, signal))
          const speech = await this.listens(attribute("timeout", 5) * 1_000, signal)
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
  private async connects({ children }: Verb, signal: AbortSignal): Promise<void> {
    const [verb] = children
    if (verb?.name !== "Stream") throw new Error("<Connect> without a <Stream>")
    const url = verb.attributes["url"] ?? ""
    if (!/^wss?:\/\/[^?#]+$/.test(url)) throw new Error(`${url} is no URL of a stream`)
    const parameters = Object.fromEntries(
      verb.children.map(({ attributes }) => [attributes["name"] ?? "", attributes["value"] ?? ""]),
    )
    const { account_sid, sid } = this.order
    const party = this.party ?? { opening: null, lines: null }
    this.voice ??= new StreamedParty(party, this.network.between, () => this.end("completed", 200))
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

  /** True when the other side cut it short. */
  private async says(text: string, listening: boolean, signal: AbortSignal): Promise<boolean> {
    const party = this.party
    const whole = spokenMs(text)
    const barges = listening && party?.barges_in === true && this.lines.length > 0
    const until = party?.drops_mid_sentence ? Math.min(ms.drop, whole) : barges ? Math.min(ms.barge, whole) : whole
    await this.sleep(until, signal)
    this.transcript.push({ role: "agent", text })
    if (party?.drops_mid_sentence) {
      this.end("completed", 200)
      throw new Stopped()
    }
    if (party !== null && party.lines !== null && !party.machine) {
      const line = saysGoodbye(text) ? undefined : this.lines.shift()
      const pause = barges ? 0 : this.network.between(ms.thinkLeast, ms.thinkMost)
      this.plans(line ?? "Goodbye.", pause, line === undefined)
    }
    return until < whole
  }

  private plans(text: string, inMs: number, thenHangsUp: boolean): void {
    this.next = { at: Date.now() + inMs / this.network.speed, text, thenHangsUp }
  }

  /** What the other side says before the time is over. It waits with its words until somebody listens. */
  private async listens(timeout: number, signal: AbortSignal): Promise<string | null> {
    const until = Date.now() + timeout / this.network.speed
    if (this.next === null || this.next.at > until) {
      await this.pause(until - Date.now(), signal)
      return null
    }
    const { at, text, thenHangsUp } = this.next
    this.next = null
    await this.pause(at - Date.now() + spokenMs(text) / this.network.speed, signal)
    this.transcript.push({ role: "caller", text })
    if (thenHangsUp) this.after(ms.farewell, () => this.end("completed", 200))
    if (this.party?.machine) this.after(ms.records, () => this.end("completed", 200))
    return text
  }

  private sleep(phoneMs: number, signal: AbortSignal): Promise<void> {
    return this.pause(phoneMs / this.network.speed, signal)
  }

  private pause(realMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Stopped())
      const timer = setTimeout(resolve, Math.max(0, realMs))
      signal.addEventListener("abort", () => {
        clearTimeout(timer)
        reject(new Stopped())
      })
    })
  }

  private after(phoneMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      if (!this.isOver) act()
    }, phoneMs / this.network.speed)
    this.timers.add(timer)
  }
}
