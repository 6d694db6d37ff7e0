/** The load generator sipp as the far side of calls: it knows SIP from elsewhere, and counts which calls went as written. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Why there is no sipp here; undefined where there is. */
export const sippFault = spawnSync("sipp", ["-v"]).error === undefined ? undefined : "sipp is not installed"

const head = (status: string, tag: string, rest = "") =>
  `SIP/2.0 ${status}\n[last_Via:]\n[last_From:]\n[last_To:]${tag}\n[last_Call-ID:]\n${rest}`
const tag = ";tag=[pid]S[call_number]"
const contact = "Contact: <sip:[local_ip]:[local_port]>\n"
const sdp =
  "Content-Type: application/sdp\nContent-Length: [len]\n\nv=0\no=u 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [media_ip]\nt=0 0\nm=audio [media_port] RTP/AVP 0\na=rtpmap:0 PCMU/8000\n"
const none = "Content-Length: 0\n\n"

const send = (text: string, isRepeated = false) =>
  `<send${isRepeated ? ' retrans="500"' : ""}><![CDATA[\n${text}]]></send>`

/** The steps from which scenarios are made. */
export const steps = {
  receive: (method: string) => `<recv request="${method}"/>`,
  ring: send(head("180 Ringing", tag, `[last_CSeq:]\n${contact}${none}`)),
  /** `sequence` is that of the INVITE, if another request came after it. */
  answer: (sequence = "[last_CSeq:]") => send(head("200 OK", tag, `${sequence}\n${contact}${sdp}`), true),
  refuse: (status: string, fields = "", sequence = "[last_CSeq:]") =>
    send(head(status, tag, `${sequence}\n${contact}${fields}${none}`), true),
  /** Of a request within the call, or of a CANCEL. */
  confirm: send(head("200 OK", "", `[last_CSeq:]\n${none}`)),
} as const

const begin = (method: string, sequence: number, to: string, rest: string) =>
  `${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0\nVia: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]\n` +
  `From: <sip:+14155550[call_number]@[local_ip]>;tag=[pid]C[call_number]\n${to}\nCall-ID: [call_id]\n` +
  `CSeq: ${sequence} ${method}\n${contact}Max-Forwards: 70\n${rest}`
const toService = "To: <sip:[service]@[remote_ip]>"
const toAnswered = `${toService}[peer_tag_param]`

/** A caller that rings, is answered, stays for half a second and hangs up. */
export const callsAndHangsUp = [
  send(begin("INVITE", 1, toService, sdp), true),
  '<recv response="100" optional="true"/><recv response="180" optional="true"/><recv response="200"/>',
  send(begin("ACK", 1, toAnswered, none)),
  '<pause milliseconds="500"/>',
  send(begin("BYE", 2, toAnswered, none), true),
  '<recv response="200"/>',
]

/** Runs `calls` calls by these steps; `ended` tells whether each of them went so. */
const run = (port: number, calls: number, scenario: ReadonlyArray<string>, more: ReadonlyArray<string>) => {
  const file = join(mkdtempSync(join(tmpdir(), "parley-sipp-")), "scenario.xml")
  writeFileSync(
    file,
    `<?xml version="1.0" encoding="ISO-8859-1" ?><scenario name="far">${scenario.join("")}</scenario>`,
  )
  const options = ["-sf", file, "-i", "127.0.0.1", "-p", String(port), "-m", String(calls), "-nostdin"]
  const child = spawn("sipp", [...more, ...options, "-timeout", "90s", "-timeout_error"], { stdio: "ignore" })
  const ended = once(child, "close").then(([code]) => code === 0)
  return { child, ended }
}

/** Serves calls. */
export const sipp = (port: number, calls: number, scenario: ReadonlyArray<string>) => run(port, calls, scenario, [])

/** Calls at once. A trunk with more than 100 that wait for a decision gets a 503, as it should, on a machine that is too busy. */
const atOnce = "40"

/** Calls this number at the port `to`, so many times a second. */
export const sippCalling = (
  ...[port, calls, scenario, { number, rate, to }]: [
    port: number,
    calls: number,
    scenario: ReadonlyArray<string>,
    target: { readonly number: string; readonly rate: number; readonly to: number },
  ]
) => run(port, calls, scenario, [`127.0.0.1:${to}`, "-s", number, "-r", String(rate), "-l", atOnce])
