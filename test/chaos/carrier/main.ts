/**
 * A carrier as a separate process, whose calls outlive the process that ordered them. It implements Twilio's call REST
 * and Telnyx's Call Control, and keeps its own ground truth. It shares no code with Parley, so that a misreading of the
 * one is not repeated in the other.
 *
 *     node test/chaos/carrier/main.ts --port 0 --log calls.jsonl --seed 1 --speed 60
 *
 * It is ready when it prints `Carrier is ready at http://127.0.0.1:PORT`. Use this address as Parley's TWILIO_API_URL
 * and TELNYX_API_URL.
 *
 * Accounts: any account SID is accepted. The token of its first request becomes its token (the HTTP password, and the
 * key of signatures). Any other token gets a 401.
 *
 * REST, below /2010-04-01/Accounts/{AccountSid}:
 *   POST Calls.json              To, From, Url or Twiml, StatusCallback, StatusCallbackEvent*, Timeout, TimeLimit,
 *                                MachineDetection with AsyncAmdStatusCallback
 *   GET  Calls.json              To, From, Status, StartTime>, StartTime<, PageSize; newest first
 *   GET  Calls/{sid}.json
 *   POST Calls/{sid}.json        Status=completed | canceled, or Twiml or Url: new instructions
 *   GET  IncomingPhoneNumbers.json  PhoneNumber; the account has every number except those ending in 99
 * The last two digits of a number determine its behaviour, as in the lab's table. Times are phone time, divided by
 * --speed.
 * TwiML: Say, Gather (speech), Pause, Redirect, Play (digits), Dial, Hangup, Connect with Stream.
 * On a stream the far end speaks in tones (test/support/ToneCode.ts), in real time whatever the speed. If the server
 * closes or refuses the stream, or its network breaks, the carrier continues with the next instructions.
 * Status callbacks (initiated, ringing, answered, completed) carry SequenceNumber and X-Twilio-Signature.
 *
 * Telnyx, below /v2. Any connection ID is accepted, and any API key that begins with KEY:
 *   POST calls                   connection_id, to, from, command_id, client_state, webhook_url, timeout_secs,
 *                                time_limit_secs, answering_machine_detection, stream_*
 *   GET  calls/{id}              whether it is live, and when it ended
 *   GET  connections/{id}/active_calls   two calls a page
 *   POST calls/{id}/actions/…    hangup, answer, reject, send_dtmf, streaming_start, transfer
 *   GET  call_control_applications/{id}  404… does not exist, 410… is switched off
 *   GET  phone_numbers           the account has every number except those ending in 99; 98 is on another connection
 * Webhooks are signed with the key of GET /public_key. On a stream one message in 25 is overtaken by the next, and
 * sound is played only in the mode `rtp`. The end of a stream does not end the call.
 *
 * Ground truth (--log), one JSON object a line, written before the event takes effect:
 *   {"event":"create"|"ring"|"answer"|"end","sid","call_id","to","from","at"} and at the end
 *   "outcome": answered | busy | no_answer | rejected | invalid_number | carrier_error | canceled (the caller's own
 *   hang-up before an answer), "status" (Twilio's word), "sip", "answered".
 *   call_id is the second to last segment of the StatusCallback's path.
 *
 * Faults and requests of a test:
 *   POST /control  {"callbacks":{"drop":0.1,"duplicate":0.2,"reorder":0.3,"reorder_ms":2000,"delay_ms":0,"storm":0},
 *                   "create":{"error_before","error_after","timeout_before","timeout_after","cut_after","delay_ms",
 *                   "too_many","too_many_next"},"api":{"error","timeout","delay_ms"},"streams":{"cut"},
 *                   "calls_per_second":0}
 *                  any part of it; chances are from 0 to 1. Returns all of it. {"reset":true} removes every fault.
 *   GET  /control  the present faults
 *   POST /storm    {"times":3}: every report ever made, again, in any order
 *   POST /ring     {"account_sid","token","to","from","url"}: a telephone calls `to`, and behaves by its own last digits;
 *                  with "connection_id" in place of the first two, over Telnyx
 *   GET  /public_key  {"public_key"}
 *   POST /stream   {"sid":"CA…"} and any of say, press, raw (texts; raw is sent `times` times), binary, cut, mute (no
 *                  marks), freeze (no sound either way), hang_up (true): for the newest stream of that call
 *   GET  /streams  every stream: when which tone was played and what was said, what was cleared, how it ended
 *   GET  /calls    every call, with its transcript
 *   GET  /counts   {"calls","live","callbacks":{"sent","answered","refused","failed","dropped","waiting"}}
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"
import { Carrier } from "./Carrier.ts"
import { noFaults } from "./Faults.ts"
import type { NetworkCall } from "./NetworkCall.ts"
import { PhoneCall } from "./PhoneCall.ts"
import { TelnyxCall } from "./TelnyxCall.ts"
import { type TelnyxAnswer, TelnyxCarrier } from "./TelnyxCarrier.ts"

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    log: { type: "string" },
    seed: { type: "string", default: "1" },
    speed: { type: "string", default: "1" },
  },
})
const carrier = new Carrier({ seed: Number(values.seed), speed: Number(values.speed), log: values.log ?? null })
const telnyx = new TelnyxCarrier(carrier)

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
const refuse = (response: ServerResponse, status: number, code: number, message: string): void =>
  answer(response, status, twilioError(code, status, message).body)

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Reply = { readonly status: number; readonly body: unknown }

/** Creates a call under the current faults. `refusalOf` writes a refusal in the carrier's format. */
const create = async (
  response: ServerResponse,
  make: () => Reply & { readonly isMade: boolean },
  refusalOf: (status: number, title: string) => Reply,
): Promise<void> => {
  const { create: faults } = carrier.faults
  const { chance } = carrier.dice
  const send = ({ body, status }: Reply) => answer(response, status, body)
  await sleep(faults.delay_ms)
  const isNext = faults.too_many_next > 0
  if (isNext) carrier.setFaults({ create: { too_many_next: faults.too_many_next - 1 } })
  if (isNext || chance(faults.too_many)) return send(refusalOf(429, "Too Many Requests"))
  if (chance(faults.error_before)) return send(refusalOf(503, "Service Unavailable"))
  // The connection stays open without a response.
  if (chance(faults.timeout_before)) return
  const made = make()
  if (!made.isMade) return send(made)
  if (chance(faults.error_after)) return send(refusalOf(500, "Internal Server Error"))
  if (chance(faults.timeout_after)) return
  if (chance(faults.cut_after)) return void response.destroy()
  send(made)
}

const twilioError = (code: number, status: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})

const createOverTwilio = (response: ServerResponse, account: string, form: URLSearchParams) =>
  create(
    response,
    () => {
      const call = carrier.create(account, form)
      return "code" in call
        ? { isMade: false, ...twilioError(call.code, call.status, call.message) }
        : { isMade: true, status: 201, body: carrier.view(call) }
    },
    (status, title) => twilioError(20_000 + status, status, title),
  )

const telnyxError = (status: number, title: string): TelnyxAnswer => ({
  status,
  body: { errors: [{ code: String(10_000 + (status % 100)), title, detail: title }] },
})

const overTelnyx = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
  const path = url.pathname.slice("/v2".length)
  const key = request.headers.authorization?.replace(/^Bearer /, "") ?? ""
  const fields = JSON.parse((await bodyOf(request)) || "{}")
  const send = ({ body, status }: TelnyxAnswer) => answer(response, status, body)
  // An API key is an account: everything that its requests name belongs to it.
  if (!key.startsWith("KEY")) return send(telnyxError(401, "Authentication failed"))
  if (request.method === "POST" && path === "/calls") {
    return create(
      response,
      () => {
        const call = telnyx.dial(fields)
        return call instanceof TelnyxCall
          ? { isMade: true, status: 200, body: { data: { ...call.view, is_alive: false } } }
          : { isMade: false, ...call }
      },
      telnyxError,
    )
  }
  const { api } = carrier.faults
  await sleep(api.delay_ms)
  if (carrier.dice.chance(api.error)) return send(telnyxError(503, "Service Unavailable"))
  if (carrier.dice.chance(api.timeout)) return
  const [, connection] = /^\/connections\/([\w-]+)\/active_calls$/.exec(path) ?? []
  if (connection !== undefined) return send(telnyx.list(connection, url.searchParams))
  const [, sid, action] = /^\/calls\/([^/]+)(?:\/actions\/(\w+))?$/.exec(path) ?? []
  if (sid === undefined) return send(telnyx.read(path, url.searchParams, String(key.split("_")[1] ?? "")))
  const call = telnyx.find(decodeURIComponent(sid))
  if (!(call instanceof TelnyxCall)) return send(call)
  if (action === undefined) return send({ status: 200, body: { data: call.view } })
  const error = call.command(action, fields)
  if (error === null) return send({ status: 200, body: { data: { result: "ok" } } })
  send({ status: 422, body: { errors: [{ ...error, detail: error.title }] } })
}

const rest = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
  if (url.pathname.startsWith("/v2/")) return overTelnyx(request, response, url)
  const [, account = "", resource, sid] =
    /^\/2010-04-01\/Accounts\/(AC\w+)\/(?:(IncomingPhoneNumbers)|Calls(?:\/(CA\w+))?)\.json$/.exec(url.pathname) ?? []
  const [user, token] = Buffer.from(request.headers.authorization?.replace(/^Basic /, "") ?? "", "base64")
    .toString()
    .split(":")
  const form = new URLSearchParams(await bodyOf(request))
  if (account === "") return refuse(response, 404, 20404, `The requested resource ${url.pathname} was not found`)
  if (user !== account || token === undefined || token === "" || !carrier.isToken(account, token)) {
    return refuse(response, 401, 20003, "Authenticate")
  }
  if (resource !== undefined) {
    const phone_number = url.searchParams.get("PhoneNumber") ?? ""
    return answer(response, 200, { incoming_phone_numbers: phone_number.endsWith("99") ? [] : [{ phone_number }] })
  }
  if (request.method === "POST" && sid === undefined) return createOverTwilio(response, account, form)
  const { api } = carrier.faults
  await sleep(api.delay_ms)
  if (carrier.dice.chance(api.error)) return refuse(response, 503, 20503, "Service Unavailable")
  if (carrier.dice.chance(api.timeout)) return
  if (sid === undefined) {
    const size = Number(url.searchParams.get("PageSize") ?? 50)
    const calls = carrier.list(account, url.searchParams).slice(0, size)
    return answer(response, 200, { calls: calls.map((call) => carrier.view(call)), page: 0, page_size: size })
  }
  const found = carrier.find(account, sid)
  const changed = "code" in found || request.method === "GET" ? found : carrier.update(found, form)
  if ("code" in changed) return refuse(response, changed.status, changed.code, changed.message)
  answer(response, 200, carrier.view(changed))
}

const question = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> => {
  const asked = `${request.method} ${path}`
  const sent = async () => JSON.parse((await bodyOf(request)) || "{}")
  const all: ReadonlyArray<NetworkCall> = [...carrier.calls.values()]
  if (asked === "GET /control") answer(response, 200, carrier.faults)
  else if (asked === "POST /control") {
    const { reset, ...change } = await sent()
    if (reset === true) carrier.faults = noFaults
    carrier.setFaults(change)
    answer(response, 200, carrier.faults)
  } else if (asked === "POST /storm") answer(response, 200, { sent: carrier.storm(Number((await sent()).times ?? 1)) })
  else if (asked === "POST /ring") {
    const ring = await sent()
    answer(response, 200, { sid: (ring.connection_id === undefined ? carrier : telnyx).ring(ring).order.sid })
  } else if (asked === "GET /public_key") answer(response, 200, { public_key: telnyx.publicKey })
  else if (asked === "GET /streams") answer(response, 200, carrier.streams())
  else if (asked === "POST /stream") {
    const { sid, ...order } = await sent()
    answer(response, carrier.tellStream(String(sid), order) ? 200 : 404, {})
  } else if (asked === "GET /calls") {
    const view = (call: PhoneCall) => ({ ...carrier.view(call), order: call.order, transcript: call.transcript })
    answer(response, 200, all.filter((call) => call instanceof PhoneCall).map(view))
  } else if (asked === "GET /counts") {
    const live = all.filter(({ isOver }) => !isOver).length
    answer(response, 200, { calls: all.length, live, callbacks: carrier.callbacks.counts })
  } else return false
  return true
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://carrier")
  question(request, response, url.pathname)
    .then((answered) => (answered ? undefined : rest(request, response, url)))
    .catch((cause: unknown) => refuse(response, 400, 20001, String(cause)))
})
// Longer than any client keeps an idle connection. Closing it first could cut a request that is being sent.
server.keepAliveTimeout = 120_000
server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(`Carrier is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
