/**
 * The load generator sipp as the far end of calls. It is an independent implementation of SIP, and counts the calls
 * that went as its scenario says.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeHost } from "../../src/telephony/sip/Uri.ts"

/** Why tests with sipp cannot run on this machine. Undefined if they can. */
export const sippFault = spawnSync("sipp", ["-v"]).error === undefined ? undefined : "sipp is not installed"

const head = (status: string, tag: string, rest = "") =>
  `SIP/2.0 ${status}\n[last_Via:]\n[last_From:]\n[last_To:]${tag}\n[last_Call-ID:]\n${rest}`
const tag = ";tag=[pid]S[call_number]"
const contact = "Contact: <sip:[local_ip]:[local_port]>\n"
const sdpWith = (media: string, place = "IP[media_ip_type] [media_ip]") =>
  `Content-Type: application/sdp\nContent-Length: [len]\n\nv=0\no=u 1 1 IN IP[local_ip_type] [local_ip]\ns=-\nc=IN ${place}\nt=0 0\nm=audio [media_port] RTP/AVP ${media}\n`
const sdp = sdpWith("0\na=rtpmap:0 PCMU/8000")
const none = "Content-Length: 0\n\n"

const send = (text: string, isRepeated = false) =>
  `<send${isRepeated ? ' retrans="500"' : ""}><![CDATA[\n${text}]]></send>`

/** The steps of which scenarios are made. */
export const steps = {
  receive: (method: string) => `<recv request="${method}"/>`,
  ring: send(head("180 Ringing", tag, `[last_CSeq:]\n${contact}${none}`)),
  /** Pass the `sequence` of the INVITE if another request came after it. */
  answer: (sequence = "[last_CSeq:]") => send(head("200 OK", tag, `${sequence}\n${contact}${sdp}`), true),
  refuse: (status: string, fields = "", sequence = "[last_CSeq:]") =>
    send(head(status, tag, `${sequence}\n${contact}${fields}${none}`), true),
  /** A 183 with the session description, which Parley has to confirm (RFC 3262). */
  progress: send(head("183 Session Progress", tag, `[last_CSeq:]\n${contact}Require: 100rel\nRSeq: 1\n${sdp}`), true),
  /** Remembers the INVITE of a call that is answered after another request. */
  remember:
    '<recv request="INVITE"><action><ereg regexp=".*" search_in="hdr" header="Via:" assign_to="1"/></action></recv>',
  /** Answers the remembered INVITE without a session description, since an earlier response had it. */
  answerRemembered: send(
    head("200 OK", "", `CSeq: 1 INVITE\n${contact}${none}`).replace("[last_Via:]", "Via: [$1]"),
    true,
  ),
  /** Responds with 200 to a request within the call, or to a CANCEL. */
  confirm: send(head("200 OK", "", `[last_CSeq:]\n${none}`)),
} as const

const begin = (method: string, sequence: number, to: string, rest: string) =>
  `${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0\nVia: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]\n` +
  `From: <sip:+14155550[call_number]@[local_ip]>;tag=[pid]C[call_number]\n${to}\nCall-ID: [call_id]\n` +
  `CSeq: ${sequence} ${method}\n${contact}Max-Forwards: 70\n${rest}`
const toService = "To: <sip:[service]@[remote_ip]>"
const toAnswered = `${toService}[peer_tag_param]`

/** Expects a response with these patterns. */
const receives = (status: number, ...texts: ReadonlyArray<string>) => {
  const checks = texts.map(
    (text, at) => `<ereg regexp="${text}" search_in="msg" check_it="true" assign_to="${at + 1}"/>`,
  )
  const uses = texts.length === 0 ? "" : `<Reference variables="${texts.map((_, at) => at + 1).join(",")}"/>`
  return `<recv response="${status}"><action>${checks.join("")}</action></recv>${uses}`
}
const provisional = '<recv response="100" optional="true"/><recv response="180" optional="true"/>'
const pause = '<pause milliseconds="400"/>'
const endsAt = (sequence: number) => [send(begin("BYE", sequence, toAnswered, none), true), receives(200)]
const offersAgain = (sequence: number, description: string, expected: string) => [
  send(begin("INVITE", sequence, toAnswered, description), true),
  '<recv response="100" optional="true"/>',
  receives(200, expected),
  send(begin("ACK", sequence, toAnswered, none)),
  pause,
]
const answeredAt = (fields: string, ...expected: ReadonlyArray<string>) => [
  send(begin("INVITE", 1, toService, `${fields}${sdp}`), true),
  provisional,
  receives(200, ...expected),
  send(begin("ACK", 1, toAnswered, none)),
  pause,
]
const refused = (status: number, fields: string, expected: string) => [
  send(begin("INVITE", 1, toService, `${fields}${sdp}`), true),
  '<recv response="100" optional="true"/>',
  receives(status, expected),
  send(begin("ACK", 1, toAnswered, none)),
]

/** Scenarios of callers, with the responses that Parley has to give. */
export const callers = {
  "holds in each of the three ways, and takes another codec": [
    ...answeredAt("", "m=audio [0-9]+ RTP/AVP 0"),
    ...offersAgain(2, sdpWith("0\na=sendonly"), "a=recvonly"),
    ...offersAgain(3, sdpWith("0\na=sendrecv"), "a=sendrecv"),
    ...offersAgain(4, sdpWith("0\na=inactive"), "a=inactive"),
    ...offersAgain(5, sdpWith("0\na=sendrecv"), "a=sendrecv"),
    ...offersAgain(6, sdpWith("0", "IP4 0.0.0.0"), "a=recvonly"),
    ...offersAgain(7, sdpWith("8\na=rtpmap:8 PCMA/8000"), "m=audio [0-9]+ RTP/AVP 8"),
    ...endsAt(8),
  ],
  "refreshes its session by UPDATE and by INVITE": [
    ...answeredAt(
      "Supported: timer\nSession-Expires: 90;refresher=uac\n",
      "Session-Expires: 90;refresher=uac",
      "Require: timer",
    ),
    send(begin("UPDATE", 2, toAnswered, `Supported: timer\nSession-Expires: 90;refresher=uac\n${none}`), true),
    receives(200, "Session-Expires: 90;refresher=uac"),
    ...offersAgain(
      3,
      `Supported: timer\nSession-Expires: 120;refresher=uas\n${sdp}`,
      "Session-Expires: 120;refresher=uas",
    ),
    ...endsAt(4),
  ],
  "wants its session refreshed too often": refused(422, "Supported: timer\nSession-Expires: 30\n", "Min-SE: 90"),
  "requires an extension that Parley does not have": refused(
    420,
    "Require: precondition\n",
    "Unsupported: precondition",
  ),
  "requires that ringing be confirmed": [...answeredAt("Require: 100rel\n"), ...endsAt(2)],
  "wants Parley's offer": [
    send(begin("INVITE", 1, toService, none), true),
    provisional,
    receives(200, "m=audio [0-9]+ RTP/AVP 0 8"),
    send(begin("ACK", 1, toAnswered, sdp)),
    pause,
    ...endsAt(2),
  ],
  "gives up after the answer, which has no effect, and hangs up": [
    send(begin("INVITE", 1, toService, sdp), true),
    provisional,
    receives(200),
    send(begin("CANCEL", 1, toService, none).replace("[branch]", "[branch-4]"), true),
    receives(200),
    send(begin("ACK", 1, toAnswered, none)),
    pause,
    ...endsAt(2),
  ],
  "asks what Parley can, before the call and within it": [
    send(begin("OPTIONS", 1, toService, none), true),
    receives(200, "Allow: .*PRACK"),
    send(begin("INVITE", 2, toService, sdp), true),
    provisional,
    receives(200),
    send(begin("ACK", 2, toAnswered, none)),
    send(begin("OPTIONS", 3, toAnswered, none), true),
    receives(200, "Supported: .*timer"),
    ...endsAt(4),
  ],
}

/** A caller that is answered, stays for half a second and hangs up. */
export const callsAndHangsUp = [
  send(begin("INVITE", 1, toService, sdp), true),
  '<recv response="100" optional="true"/><recv response="180" optional="true"/><recv response="200"/>',
  send(begin("ACK", 1, toAnswered, none)),
  '<pause milliseconds="500"/>',
  send(begin("BYE", 2, toAnswered, none), true),
  '<recv response="200"/>',
]

/** Runs the scenario for `calls` calls. `ended` resolves to whether all of them went as it says. */
const run = (
  port: number,
  calls: number,
  scenario: ReadonlyArray<string>,
  more: ReadonlyArray<string>,
  address = "127.0.0.1",
) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-sipp-"))
  const file = join(folder, "scenario.xml")
  writeFileSync(
    file,
    `<?xml version="1.0" encoding="ISO-8859-1" ?><scenario name="far">${scenario.join("")}</scenario>`,
  )
  const options = ["-sf", file, "-i", address, "-p", String(port), "-m", String(calls), "-nostdin"]
  const errors = join(folder, "errors.log")
  const log = ["-trace_err", "-error_file", errors]
  const child = spawn("sipp", [...more, ...options, ...log, "-timeout", "90s", "-timeout_error"], { stdio: "ignore" })
  const ended = once(child, "close").then(([code]) => code === 0)
  /** The errors that sipp has logged. */
  const complaint = () => (existsSync(errors) ? readFileSync(errors, "utf8") : "")
  return { child, ended, complaint }
}

/** Answers calls with the scenario. */
export const sipp = (port: number, calls: number, scenario: ReadonlyArray<string>) => run(port, calls, scenario, [])

/**
 * The most concurrent calls. A trunk with more than 100 calls that wait for a decision rightly gets a 503, which
 * happens on a machine that is too busy.
 */
const atOnce = "40"

/** Calls the number at the port `to`, at `rate` calls a second. */
export const sippCalling = (
  ...[port, calls, scenario, { address = "127.0.0.1", isTcp = false, number, rate, to }]: [
    port: number,
    calls: number,
    scenario: ReadonlyArray<string>,
    target: {
      readonly number: string
      readonly rate: number
      readonly to: number
      readonly isTcp?: boolean
      /** The address of both Parley and the callers. */
      readonly address?: string
    },
  ]
) =>
  run(
    port,
    calls,
    scenario,
    [
      ...[`${writeHost(address)}:${to}`, "-s", number, "-r", String(rate), "-l", atOnce],
      ...(isTcp ? ["-t", "t1"] : []),
    ],
    address,
  )
