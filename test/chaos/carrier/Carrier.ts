/** The carrier's side of the REST interface: accounts, orders, look-up, hang-up; and the log of what really happened. */
import { randomBytes } from "node:crypto"
import { appendFileSync } from "node:fs"
import { Callbacks } from "./Callbacks.ts"
import { changed, type Dice, dice, type Faults, noFaults } from "./Faults.ts"
import { behaviourOf } from "./Parties.ts"
import { type Network, PhoneCall } from "./PhoneCall.ts"

export interface Options {
  readonly seed: number
  readonly speed: number
  /** A file that every event is appended to, one JSON object a line. */
  readonly log: string | null
}

/** A refusal as Twilio words it. */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
}

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message })

const rfc2822 = (at: Date | null): string | null => at?.toUTCString().replace("GMT", "+0000") ?? null

/** The last part but one of `…/carriers/twilio/{account}/{call_id}/status`. */
const callIdIn = (url: string | null): string | null =>
  url === null ? null : (new URL(url).pathname.split("/").at(-2) ?? null)

const outcomes: Record<string, string> = { busy: "busy", "no-answer": "no_answer", canceled: "canceled" }
const outcomesBySip: Record<number, string> = { 404: "invalid_number", 503: "carrier_error", 603: "rejected" }

export class Carrier {
  faults: Faults = noFaults
  readonly dice: Dice
  readonly callbacks: Callbacks
  readonly calls = new Map<string, PhoneCall>()
  private readonly tokens = new Map<string, string>()
  private readonly dialled = new Set<string>()
  private readonly past: Array<{
    readonly token: string
    readonly url: string
    readonly parameters: Record<string, string>
  }> = []
  /** When an account may begin its next call. */
  private readonly free = new Map<string, number>()
  private readonly options: Options
  private readonly network: Network

  constructor(options: Options) {
    this.options = options
    this.dice = dice(options.seed)
    this.callbacks = new Callbacks(() => this.faults, this.dice)
    this.network = {
      speed: options.speed,
      between: this.dice.between,
      note: (call, event, more) => this.note(call, event, more),
      report: (call, url, parameters) => {
        const token = this.tokens.get(call.order.account_sid) ?? ""
        this.past.push({ token, url, parameters })
        this.callbacks.report(token, url, parameters)
      },
      tokenOf: (call) => this.tokens.get(call.order.account_sid) ?? "",
      cutsStreamAfter: () => (this.dice.chance(this.faults.streams.cut) ? this.dice.between(0, 6_000) : null),
      ask: async (call, url, parameters) => {
        const { body, status } = await this.callbacks.send(
          this.tokens.get(call.order.account_sid) ?? "",
          url,
          parameters,
        )
        if (status !== 200) throw new Error(`${url} answered ${status}`)
        return body
      },
    }
  }

  /** The first one who uses an account sets its token. */
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
    this.note(call, "create")
    this.calls.set(call.order.sid, call)
    const pace = this.faults.calls_per_second
    const at = Math.max(Date.now(), pace === 0 ? 0 : (this.free.get(account_sid) ?? 0))
    if (pace > 0) this.free.set(account_sid, at + 1_000 / pace)
    setTimeout(() => {
      const isFirst = !this.dialled.has(`${account_sid} ${to}`)
      this.dialled.add(`${account_sid} ${to}`)
      call.dial(behaviourOf(to, isFirst))
    }, at - Date.now())
    return call
  }

  /** A telephone calls a number of an account, which asks `url` what to do. The caller behaves as if it was called. */
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
    return call?.order.account_sid === account_sid
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
    // One that was answered is not hung up by it.
    else if (status === "canceled" && call.answeredAt === null) call.end("canceled", 487)
    else if (status === null && twiml !== null && call.answeredAt !== null) call.redirect({ twiml })
    else if (status === null && url !== null && call.answeredAt !== null) call.redirect({ url })
    else if (status === null)
      return refusal(400, 21220, "Unable to update record. Call is not in-progress. Cannot redirect.")
    return call
  }

  /** Newest first. A call that was not dialled yet has no StartTime, so no filter on it finds it. */
  list(account_sid: string, query: URLSearchParams): ReadonlyArray<PhoneCall> {
    const [after, before] = [query.get("StartTime>"), query.get("StartTime<")].map((text) =>
      text === null ? null : Date.parse(text),
    )
    return [...this.calls.values()]
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

  /** Everything that was ever reported once more, in any order: what no receiver may be changed by. */
  storm(times: number): number {
    const all = Array.from({ length: times }, () => this.past).flat()
    for (const { parameters, token, url } of all) {
      this.callbacks.later(this.dice.between(0, 1_000), token, url, parameters)
    }
    return all.length
  }

  /** A test's order to the newest stream of a call; false if there is none. */
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
      call.streams.map(({ clears, counts, end, now, order, played, sid }) => ({
        call_sid: call.order.sid,
        call_id: callIdIn(call.order.status_callback),
        ...{ sid, url: order.url, parameters: order.parameters, now, end, played, clears, counts },
        said: call.voice?.said ?? [],
        digits: call.digits,
      })),
    )
  }

  private note(call: PhoneCall, event: "create" | "ring" | "answer" | "end", more: Record<string, unknown> = {}): void {
    if (this.options.log === null) return
    const { from, sid, status_callback, to } = call.order
    const outcome = event === "end" ? { outcome: this.outcomeOf(more) } : {}
    const line = {
      event,
      sid,
      call_id: callIdIn(status_callback),
      to,
      from,
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
