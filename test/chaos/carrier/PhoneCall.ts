/** One call over Twilio: it follows TwiML, and reports to the status callback. */
import { GatheredParty, Stopped } from "./GatheredParty.ts"
import { MediaStream } from "./MediaStream.ts"
import { type CallNetwork, type CallStatus, greetingMs, NetworkCall } from "./NetworkCall.ts"
import type { Party } from "./Parties.ts"
import { StreamedParty } from "./StreamedParty.ts"
import { twilioWire } from "./StreamWire.ts"
import { parse, type Verb } from "./Twiml.ts"

export interface Order {
  readonly sid: string
  readonly account_sid: string
  readonly to: string
  readonly from: string
  readonly url: string | null
  readonly twiml: string | null
  readonly status_callback: string | null
  readonly events: ReadonlySet<string>
  /** The most seconds of ringing and of talk. */
  readonly ring_limit: number
  readonly time_limit: number
  readonly machine_callback: string | null
}

/** What a call over Twilio needs from the carrier. */
export interface Network extends CallNetwork {
  readonly report: (call: PhoneCall, url: string, parameters: Record<string, string>) => void
  /** The key for signatures of the call's account. */
  readonly tokenOf: (call: PhoneCall) => string
  /** Asks what to do next. Returns TwiML. */
  readonly ask: (call: PhoneCall, url: string, parameters: Record<string, string>) => Promise<string>
}

/** TwiML, or the URL that returns it. */
type Instructions = { readonly twiml: string } | { readonly url: string | null }

const reported: Partial<Record<CallStatus, string>> = {
  initiated: "initiated",
  ringing: "ringing",
  "in-progress": "answered",
}

/** The call id in `…/carriers/twilio/{account}/{call_id}/status`. */
const callIdIn = (url: string | null): string | null =>
  url === null ? null : (new URL(url).pathname.split("/").at(-2) ?? null)

export class PhoneCall extends NetworkCall {
  readonly order: Order
  protected readonly network: Network
  private sequence = 0
  /** The far end of `<Say>` and `<Gather>`. Null before the answer. */
  private gathered: GatheredParty | null = null
  private script = new AbortController()

  constructor(order: Order, network: Network) {
    super(order)
    this.order = order
    this.network = network
  }

  get names() {
    const { from, sid, status_callback, to } = this.order
    return { sid, from, to, call_id: callIdIn(status_callback) }
  }

  get transcript(): GatheredParty["transcript"] {
    return this.gathered?.transcript ?? []
  }

  /** A telephone calls the account's number. The order's URL tells what to do. */
  arrive(party: Party): void {
    this.startedAt = new Date()
    this.answer(party)
  }

  protected begin(party: Party): void {
    this.gathered = new GatheredParty(party, {
      speed: this.network.speed,
      between: this.network.between,
      after: (phoneMs, act) => this.after(phoneMs, act),
      hangUp: () => this.end("completed", 200),
    })
    const machine = this.order.machine_callback
    if (machine !== null) {
      const answered_by = party.opening === null ? "unknown" : party.machine ? "machine_end_beep" : "human"
      const { AccountSid, CallSid } = this.parameters
      const report = {
        CallSid: CallSid!,
        AccountSid: AccountSid!,
        AnsweredBy: answered_by,
        MachineDetectionDuration: "2000",
      }
      this.after(greetingMs(party), () => this.network.report(this, machine, report))
    }
    this.follow(this.order.twiml === null ? { url: this.order.url } : { twiml: this.order.twiml }, this.gathered)
  }

  protected stop(): void {
    this.script.abort(new Stopped())
  }

  /** Replaces the instructions during the call. The present speech is cut. */
  redirect(to: Instructions): void {
    if (this.gathered !== null) this.follow(to, this.gathered)
  }

  protected becomes(status: CallStatus): void {
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
      // An application error: the caller hears about it, and the call ends.
      console.error(`call ${this.order.sid}: ${String(cause)}`)
      this.end("completed", 200)
    })
  }

  /** Performs a document. Returns the next one, or null at the end of the call. */
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

  /** Opens a media stream and waits until the server closes it or new instructions come. */
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
    const wire = twilioWire({ url, parameters, account_sid, call_sid: sid, token })
    const stream = this.openStream(new MediaStream(wire, this.voice))
    signal.addEventListener("abort", () => stream.leave())
    await stream.over
    if (signal.aborted) throw new Stopped()
  }
}
