/**
 * The carrier's side of the REST interface: accounts, orders, look-up and hang-up, and the log of what really happened.
 */
import { randomBytes } from "node:crypto"
import { appendFileSync } from "node:fs"
import { Callbacks, type Message, twilioMessage } from "./Callbacks.ts"
import { changed, type Dice, dice, type Faults, noFaults } from "./Faults.ts"
import type { CallNetwork, NetworkCall } from "./NetworkCall.ts"
import { behaviourOf } from "./Parties.ts"
import { type Network, PhoneCall } from "./PhoneCall.ts"

export interface Options {
  readonly seed: number
  readonly speed: number
  /** The file to which every event is appended as one line of JSON. */
  readonly log: string | null
}

/** A refusal in Twilio's format. */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
}

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message })

const rfc2822 = (at: Date | null): string | null => at?.toUTCString().replace("GMT", "+0000") ?? null

const outcomes: Record<string, string> = { busy: "busy", "no-answer": "no_answer", canceled: "canceled" }
const outcomesBySip: Record<number, string> = { 404: "invalid_number", 503: "carrier_error", 603: "rejected" }

export class Carrier {
  faults: Faults = noFaults
  readonly dice: Dice
  readonly callbacks: Callbacks
  readonly calls = new Map<string, NetworkCall>()
  private readonly tokens = new Map<string, string>()
  private readonly dialled = new Set<string>()
  private readonly past: Array<Message> = []
  /** When each account may begin its next call, in milliseconds since 1970. */
  private readonly free = new Map<string, number>()
  private readonly options: Options
  private readonly network: Network

  constructor(options: Options) {
    this.options = options
    this.dice = dice(options.seed)
    this.callbacks = new Callbacks(() => this.faults, this.dice)
    this.network = {
      ...this.shared,
      report: (call, url, parameters) => {
        const token = this.tokens.get(call.order.account_sid) ?? ""
        this.report(twilioMessage(token, url, parameters))
      },
      tokenOf: (call) => this.tokens.get(call.order.account_sid) ?? "",
      ask: async (call, url, parameters) => {
        const token = this.tokens.get(call.order.account_sid) ?? ""
        const { body, status } = await this.callbacks.send(twilioMessage(token, url, parameters))
        if (status !== 200) throw new Error(`${url} answered ${status}`)
        return body
      },
    }
  }

  /** What every call needs, whichever the carrier. */
  get shared(): CallNetwork {
    return {
      speed: this.options.speed,
      between: this.dice.between,
      note: (call, event, more) => this.note(call, event, more),
      cutsStreamAfter: () => (this.dice.chance(this.faults.streams.cut) ? this.dice.between(0, 6_000) : null),
    }
  }

  report(message: Message): void {
    this.past.push(message)
    this.callbacks.report(message)
  }

  /** The first request of an account sets its token. */
  isToken(account_sid: string, token: string): boolean {
    const known = this.tokens.get(account_sid)
    if (known === undefined) this.tokens.set(account_sid, token)
    return known === undefined || known === token
  }

  setFaults(change: Record<string, unknown>): void {
    this.faults = changed(this.faults, change)
  }

  create(account_sid: string, form: URLSearchParams): PhoneCall | Refusal {
    const [to, from] = [form.get("To") ?? "", form.get("From") ?? ""]
    if (!/^\+[1-9]\d{6,14}$/.test(to)) return refusal(400, 21211, `Invalid 'To' Phone Number: ${to}`)
    if (!/^\+[1-9]\d{6,14}$/.test(from)) return refusal(400, 21212, `Invalid 'From' Phone Number: ${from}`)
    const [url, twiml] = [form.get("Url"), form.get("Twiml")]
    if (url === null && twiml === null) return refusal(400, 21205, "Url parameter is required.")
    if (twiml !== null && twiml.length > 4_000) return refusal(400, 21623, "Twiml is too long")
    const events = form.getAll("StatusCallbackEvent")
    const call = new PhoneCall(
      {
        sid: `CA${randomBytes(16).toString("hex")}`,
        account_sid,
        to,
        from,
        url,
        twiml,
        status_callback: form.get("StatusCallback"),
        events: new Set(events.length === 0 ? ["completed"] : events),
        ring_limit: Number(form.get("Timeout") ?? 60),
        time_limit: Number(form.get("TimeLimit") ?? 14_400),
        machine_callback: form.get("MachineDetection") === null ? null : form.get("AsyncAmdStatusCallback"),
      },
      this.network,
    )
    this.begin(account_sid, call)
    return call
  }

  /** Begins the call at the pace of the account. */
  begin(account: string, call: NetworkCall): void {
    const { sid, to } = call.names
    this.note(call, "create")
    this.calls.set(sid, call)
    const pace = this.faults.calls_per_second
    const at = Math.max(Date.now(), pace === 0 ? 0 : (this.free.get(account) ?? 0))
    if (pace > 0) this.free.set(account, at + 1_000 / pace)
    setTimeout(() => {
      const isFirst = !this.dialled.has(`${account} ${to}`)
      this.dialled.add(`${account} ${to}`)
      call.dial(behaviourOf(to, isFirst))
    }, at - Date.now())
  }

  /**
   * Places a call from a telephone to a number of the account. The carrier asks `url` what to do. The caller behaves as
   * if it had been called.
   */
  ring({ account_sid, from, to, token, url }: Readonly<Record<string, string>>): PhoneCall {
    this.isToken(account_sid ?? "", token ?? "")
    const call = new PhoneCall(
      {
        sid: `CA${randomBytes(16).toString("hex")}`,
        account_sid: account_sid ?? "",
        to: to ?? "",
        from: from ?? "",
        url: url ?? "",
        twiml: null,
        status_callback: null,
        events: new Set(),
        ring_limit: 60,
        time_limit: 14_400,
        machine_callback: null,
      },
      this.network,
    )
    this.note(call, "create")
    this.calls.set(call.order.sid, call)
    const behaviour = behaviourOf(from ?? "", true)
    call.arrive("answers" in behaviour ? behaviour.answers : { opening: null, lines: null })
    return call
  }

  find(account_sid: string, sid: string): PhoneCall | Refusal {
    const call = this.calls.get(sid)
    return call instanceof PhoneCall && call.order.account_sid === account_sid
      ? call
      : refusal(
          404,
          20404,
          `The requested resource /2010-04-01/Accounts/${account_sid}/Calls/${sid}.json was not found`,
        )
  }

  update(call: PhoneCall, form: URLSearchParams): PhoneCall | Refusal {
    const status = form.get("Status")
    const [url, twiml] = [form.get("Url"), form.get("Twiml")]
    if (call.isOver) return refusal(400, 21220, "Unable to update record. Call is not in-progress. Cannot redirect.")
    if (status === "completed")
      call.end(call.answeredAt === null ? "canceled" : "completed", call.answeredAt === null ? 487 : 200)
    // Twilio does not hang up an answered call on `canceled`.
    else if (status === "canceled" && call.answeredAt === null) call.end("canceled", 487)
    else if (status === null && twiml !== null && call.answeredAt !== null) call.redirect({ twiml })
    else if (status === null && url !== null && call.answeredAt !== null) call.redirect({ url })
    else if (status === null)
      return refusal(400, 21220, "Unable to update record. Call is not in-progress. Cannot redirect.")
    return call
  }

  /**
   * The account's calls, newest first. A call that was not dialled yet has no StartTime, so no filter on StartTime
   * finds it.
   */
  list(account_sid: string, query: URLSearchParams): ReadonlyArray<PhoneCall> {
    const [after, before] = [query.get("StartTime>"), query.get("StartTime<")].map((text) =>
      text === null ? null : Date.parse(text),
    )
    return [...this.calls.values()]
      .filter((call) => call instanceof PhoneCall)
      .filter(({ order, startedAt, status }) => {
        if (order.account_sid !== account_sid) return false
        if (query.has("To") && query.get("To") !== order.to) return false
        if (query.has("From") && query.get("From") !== order.from) return false
        if (query.has("Status") && query.get("Status") !== status) return false
        if (after !== null && after !== undefined && (startedAt?.getTime() ?? -1) < after) return false
        return before === null || before === undefined || (startedAt?.getTime() ?? Infinity) <= before
      })
      .toReversed()
  }

  view(call: PhoneCall): Record<string, unknown> {
    const { account_sid, from, sid, to } = call.order
    return {
      sid,
      account_sid,
      to,
      from,
      status: call.status === "initiated" ? "queued" : call.status,
      direction: "outbound-api",
      date_created: rfc2822(call.createdAt),
      date_updated: rfc2822(call.endedAt ?? call.answeredAt ?? call.createdAt),
      start_time: rfc2822(call.startedAt),
      end_time: rfc2822(call.endedAt),
      duration: call.isOver ? String(call.duration) : null,
      price: null,
      price_unit: "USD",
      answered_by: null,
      parent_call_sid: null,
      api_version: "2010-04-01",
      uri: `/2010-04-01/Accounts/${account_sid}/Calls/${sid}.json`,
    }
  }

  /**
   * Sends every report ever made again, in any order. No receiver may be changed by it. At most a thousand a second, or
   * the connections of a long run's 8,000 reports would use up the file descriptors of the balancer.
   */
  storm(times: number): number {
    const all = Array.from({ length: times }, () => this.past).flat()
    const overMs = Math.max(1_000, all.length)
    for (const message of all) this.callbacks.later(this.dice.between(0, overMs), message)
    return all.length
  }

  /** Passes a test's order to the newest stream of a call. Returns false if there is none. */
  tellStream(sid: string, order: Readonly<Record<string, unknown>>): boolean {
    const call = this.calls.get(sid)
    const stream = call?.streams.at(-1)
    if (call === undefined || stream === undefined) return false
    if (typeof order["say"] === "string") call.voice?.say(order["say"])
    if (typeof order["press"] === "string") stream.press(order["press"])
    if (typeof order["raw"] === "string") stream.sendRaw(order["raw"], Number(order["times"] ?? 1))
    if (order["binary"] === true) stream.sendRaw(new Uint8Array(160), 1)
    if (order["cut"] === true) stream.cut()
    if (order["mute"] === true) stream.isMute = true
    if (order["freeze"] === true) stream.isFrozen = true
    if (order["hang_up"] === true) call.end("completed", 200)
    return true
  }

  /** What was said and heard on each stream of each call. */
  streams(): ReadonlyArray<object> {
    return [...this.calls.values()].flatMap((call) =>
      call.streams.map(({ clears, counts, end, now, played, wire }) => ({
        call_sid: call.names.sid,
        call_id: call.names.call_id,
        sid: wire.sid,
        url: wire.url,
        parameters: wire.parameters,
        now,
        end,
        played,
        clears,
        counts,
        said: call.voice?.said ?? [],
        digits: call.digits,
      })),
    )
  }

  note(call: NetworkCall, event: "create" | "ring" | "answer" | "end", more: Record<string, unknown> = {}): void {
    if (this.options.log === null) return
    const outcome = event === "end" ? { outcome: this.outcomeOf(more) } : {}
    const line = {
      event,
      ...call.names,
      at: new Date().toISOString(),
      ...outcome,
      ...more,
    }
    appendFileSync(this.options.log, `${JSON.stringify(line)}\n`)
  }

  private outcomeOf({ answered, sip, status }: Record<string, unknown>): string {
    return answered === true ? "answered" : (outcomesBySip[Number(sip)] ?? outcomes[String(status)] ?? "carrier_error")
  }
}
