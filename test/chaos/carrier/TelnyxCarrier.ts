/** Telnyx's side of the REST interface: applications, dial, look-up, the list of live calls, commands. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import type { Message } from "./Callbacks.ts"
import type { Carrier } from "./Carrier.ts"
import { behaviourOf } from "./Parties.ts"
import { type Fields, TelnyxCall, type TelnyxNetwork } from "./TelnyxCall.ts"

export interface TelnyxAnswer {
  readonly status: number
  readonly body: object
}

const refusal = (status: number, code: string, title: string, pointer?: string): TelnyxAnswer => ({
  status,
  body: { errors: [{ code, title, detail: title, ...(pointer === undefined ? {} : { source: { pointer } }) }] },
})

/** Calls per page of the list. Few, so that a client has to follow the cursor. */
const pageSize = 2

const e164 = /^\+[1-9]\d{6,14}$/

export class TelnyxCarrier {
  /** The account's key, as users configure it: 32 bytes in Base64. */
  readonly publicKey: string
  private readonly keys = generateKeyPairSync("ed25519")
  private readonly carrier: Carrier
  private readonly network: TelnyxNetwork
  private readonly commands = new Set<string>()

  constructor(carrier: Carrier) {
    this.carrier = carrier
    this.publicKey = this.keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
    this.network = { ...carrier.shared, report: (url, body) => this.carrier.report(this.message(url, body)) }
  }

  private message(url: string, content: object): Message {
    const body = JSON.stringify(content)
    return {
      url,
      encode: () => {
        const timestamp = String(Math.floor(Date.now() / 1_000))
        const signature = sign(null, Buffer.from(`${timestamp}|${body}`), this.keys.privateKey).toString("base64")
        const signed = { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp }
        return { headers: { "content-type": "application/json", "user-agent": "telnyx-webhooks", ...signed }, body }
      },
    }
  }

  dial(fields: Fields): TelnyxCall | TelnyxAnswer {
    const [connection_id, to, from] = ["connection_id", "to", "from"].map((name) => String(fields[name] ?? ""))
    if (!e164.test(to ?? "")) return refusal(422, "10016", "Phone number must be in +E.164 format", "/to")
    if (!e164.test(from ?? "")) return refusal(422, "10016", "Phone number must be in +E.164 format", "/from")
    const command = String(fields["command_id"] ?? "")
    if (this.commands.has(command)) return refusal(422, "10012", "Duplicate resource", "/command_id")
    this.commands.add(command)
    const call = new TelnyxCall(
      {
        sid: `v3:${randomBytes(24).toString("base64url")}`,
        connection_id: connection_id ?? "",
        to: to ?? "",
        from: from ?? "",
        direction: "outgoing",
        ring_limit: Number(fields["timeout_secs"] ?? 30),
        time_limit: Number(fields["time_limit_secs"] ?? 14_400),
        fields,
        webhook_url: String(fields["webhook_url"] ?? ""),
      },
      this.network,
    )
    this.carrier.begin(call.order.connection_id, call)
    return call
  }

  /** A telephone calls a number of an application, and behaves by its own last digits. */
  ring({ connection_id, from, to, url }: Readonly<Record<string, string>>): TelnyxCall {
    const sid = `v3:${randomBytes(24).toString("base64url")}`
    const ends = { connection_id: connection_id ?? "", to: to ?? "", from: from ?? "", webhook_url: url ?? "" }
    const limits = { ring_limit: 600, time_limit: 14_400 }
    const call = new TelnyxCall({ sid, ...ends, ...limits, direction: "incoming", fields: {} }, this.network)
    this.carrier.note(call, "create")
    this.carrier.calls.set(sid, call)
    call.arrive(behaviourOf(from ?? "", true))
    return call
  }

  find(sid: string): TelnyxCall | TelnyxAnswer {
    const call = this.carrier.calls.get(sid)
    return call instanceof TelnyxCall ? call : refusal(404, "10005", "Resource not found")
  }

  list(connection_id: string, query: URLSearchParams): TelnyxAnswer {
    const live = [...this.carrier.calls.values()]
      .filter((call) => call instanceof TelnyxCall)
      .filter(({ isOver, order }) => order.connection_id === connection_id && !isOver)
    const from = Number(query.get("page[after]") ?? 0)
    const page = live.slice(from, from + pageSize)
    const after = from + pageSize < live.length ? String(from + pageSize) : null
    const data = page.map(({ leg, names, order, session, view }) => ({
      record_type: "call",
      call_control_id: order.sid,
      call_leg_id: leg,
      call_session_id: session,
      ...{
        client_state: (view as { client_state: string }).client_state,
        call_duration: names.call_id === null ? 0 : 1,
      },
    }))
    return { status: 200, body: { data, meta: { total_items: live.length, cursors: { after, before: null } } } }
  }

  /** Reads of the account. An application `404…` does not exist, `410…` is switched off. */
  read(path: string, query: URLSearchParams, connection: string): TelnyxAnswer {
    const [, application] = /^\/call_control_applications\/([\w-]+)$/.exec(path) ?? []
    if (application !== undefined) {
      if (application.startsWith("404")) return refusal(404, "10005", "Resource not found")
      const data = { id: application, record_type: "call_control_application", active: !application.startsWith("410") }
      return { status: 200, body: { data } }
    }
    if (path === "/phone_numbers") {
      const phone_number = query.get("filter[phone_number]") ?? ""
      const connection_id = phone_number.endsWith("98") ? "another" : connection
      return { status: 200, body: { data: phone_number.endsWith("99") ? [] : [{ phone_number, connection_id }] } }
    }
    return refusal(404, "10005", "The requested resource or URL could not be found.")
  }
}
