/**
 * A SIP trunk as a process of its own, over UDP. It keeps its own ground truth and shares no code with Parley, so that
 * neither believes the other's misreading.
 *
 *     node test/telephony/sip/trunk/main.ts --log calls.jsonl --talk 500 --seed 1
 *
 * It is ready when it prints `Trunk is ready at 127.0.0.1:PORT`. A number behaves by its last digit:
 *   0  rings, answers, and stays until the caller hangs up
 *   1  rings, answers, and hangs up after `--talk` milliseconds
 *   2  busy (486)          3  a person declines (603)   4  no such number (404)   5  rings, and is not taken (480)
 *   6  the network is full (503)                        7  rings until the caller gives up, or the INVITE expires
 *   8  answers at once without ringing, and hangs up after `--talk` milliseconds
 *   9  is busy by the telephone network's word: 500 with the cause 17 of Q.850
 * What it says is repeated until it is acknowledged, for at most 32 seconds (RFC 3261 §17).
 *
 * Ground truth (--log), one JSON object a line, written before the event takes effect: {"event","call","to","at"}, where
 * the event is invite, answer, acknowledged, refuse, expired, hung_up (by the trunk), abandoned (the answer was
 * never acknowledged), cancel or bye (from the caller, with the port that it came from).
 *
 * Troubles, from standard input, one JSON object a line; all chances are 0 to 1, and what is left out is none:
 *   {"lose":0.3,"repeat":0.3,"delay_ms":400,"refuse":1,"mute":1}
 * `lose`, `repeat` and `delay_ms` concern datagrams of both directions; `refuse` answers an INVITE with 503, `mute` does
 * not answer it.
 */
import { createSocket, type RemoteInfo } from "node:dgram"
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import * as Dice from "../../../chaos/Dice.ts"

const { values } = parseArgs({
  options: {
    log: { type: "string", default: "/dev/null" },
    talk: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
})
const ringsMs = 300
const talksMs = Number(values.talk)
/** T1 and T2 of RFC 3261, and 64 × T1. */
const repeatsMs = { first: 500, longest: 4_000, end: 32_000 }

interface Call {
  readonly invite: string
  readonly from: RemoteInfo
  readonly to: string
  readonly timers: Set<NodeJS.Timeout>
  last: string
  isAcknowledged: boolean
  isOver: boolean
}

const socket = createSocket("udp4")
const calls = new Map<string, Call>()
const dice = Dice.make(Number(values.seed))
const none = { lose: 0, repeat: 0, delay_ms: 0, refuse: 0, mute: 0 }
let troubles = none

const field = (message: string, name: string): string =>
  new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, "im").exec(message)?.[1]?.trim() ?? ""
const all = (message: string, name: string): ReadonlyArray<string> =>
  [...message.matchAll(new RegExp(`^${name}[ \\t]*:.*$`, "gim"))].map(([line]) => line.trim())

const note = (event: string, message: string, to: string, more: object = {}) =>
  appendFileSync(
    values.log,
    `${JSON.stringify({ event, call: field(message, "call-id"), to, at: Date.now(), ...more })}\n`,
  )

/** A datagram on its way through the network, in either direction. */
const carry = (arrive: () => void) => {
  const { delay_ms, lose, repeat } = troubles
  for (let copies = dice.chance(repeat) ? 2 : 1; copies > 0; copies--) {
    if (dice.chance(lose)) continue
    if (delay_ms === 0) arrive()
    else setTimeout(arrive, dice.whole(0, delay_ms))
  }
}

const send = (text: string, to: RemoteInfo) => carry(() => socket.send(text, to.port, to.address))

const respond = (request: string, status: string, to: RemoteInfo, rest: ReadonlyArray<string> = [], body = "") => {
  const tagged = field(request, "to").includes(";tag=") ? field(request, "to") : `${field(request, "to")};tag=trunk`
  const lines = [
    `SIP/2.0 ${status}`,
    ...all(request, "via"),
    `From: ${field(request, "from")}`,
    `To: ${status.startsWith("100") ? field(request, "to") : tagged}`,
    `Call-ID: ${field(request, "call-id")}`,
    `CSeq: ${field(request, "cseq")}`,
    `Contact: <sip:127.0.0.1:${socket.address().port}>`,
    ...rest,
    ...(body === "" ? [] : ["Content-Type: application/sdp"]),
    `Content-Length: ${body.length}`,
  ]
  const text = `${lines.join("\r\n")}\r\n\r\n${body}`
  send(text, to)
  return text
}

const sdp = (port: number) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n`

/** Runs unless the call is over by then. */
const after = (call: Call, ms: number, run: () => void) => {
  const timer = setTimeout(() => {
    call.timers.delete(timer)
    if (!call.isOver) run()
  }, ms)
  call.timers.add(timer)
}

/** Says it again, ever more rarely, until it is heard. */
const insist = (say: () => void, isHeard: () => boolean, gaveUp: () => void) => {
  const until = Date.now() + repeatsMs.end
  const again = (pause: number) =>
    setTimeout(() => {
      if (isHeard()) return
      if (Date.now() >= until) return gaveUp()
      say()
      again(Math.min(2 * pause, repeatsMs.longest))
    }, pause)
  again(repeatsMs.first)
}

/** The last response to the INVITE, until the caller has acknowledged it. */
const conclude = (call: Call, status: string, rest: ReadonlyArray<string>, body: string, gaveUp: () => void) => {
  call.last = respond(call.invite, status, call.from, rest, body)
  insist(
    () => send(call.last, call.from),
    () => call.isAcknowledged,
    gaveUp,
  )
}

const refuse = (call: Call, status: string, rest: ReadonlyArray<string> = []) => {
  call.isOver = true
  note("refuse", call.invite, call.to, { status: Number(status.slice(0, 3)) })
  conclude(call, status, rest, "", () => {})
}

const answer = (call: Call) => {
  note("answer", call.invite, call.to)
  conclude(call, "200 OK", [], sdp(40_000), () => {
    if (call.isOver) return
    call.isOver = true
    note("abandoned", call.invite, call.to)
  })
}

const hangUp = (call: Call) => {
  call.isOver = true
  note("hung_up", call.invite, call.to)
  const target = /<([^>]*)>/.exec(field(call.invite, "contact"))?.[1] ?? ""
  const id = field(call.invite, "call-id")
  const bye = `BYE ${target} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK${id}\r\nFrom: ${field(call.invite, "to")};tag=trunk\r\nTo: ${field(call.invite, "from")}\r\nCall-ID: ${id}\r\nCSeq: 1 BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`
  send(bye, call.from)
  insist(
    () => send(bye, call.from),
    () => confirmed.has(id),
    () => {},
  )
}
/** The calls whose caller has confirmed our BYE. */
const confirmed = new Set<string>()

const ring = (call: Call, then: () => void) => {
  call.last = respond(call.invite, "180 Ringing", call.from)
  after(call, ringsMs, then)
}

const expire = (call: Call) => {
  const seconds = Number(field(call.invite, "expires"))
  after(call, (seconds || 180) * 1_000, () => {
    call.isOver = true
    note("expired", call.invite, call.to)
    conclude(call, "487 Request Terminated", [], "", () => {})
  })
}

/** What two messages of one transaction have in common. */
const keyOf = (message: string): string => {
  const [, sentBy = ""] = /^SIP\/2\.0\/UDP ([^;]+)/.exec(field(message, "via")) ?? []
  const [, branch = ""] = /;branch=([^;]+)/.exec(field(message, "via")) ?? []
  return `${sentBy} ${branch} ${field(message, "cseq").split(" ")[0]} ${field(message, "from")} ${field(message, "to")}`
}

const behaviours: Record<string, (call: Call) => void> = {
  0: (call) => ring(call, () => answer(call)),
  1: (call) => ring(call, () => answer(call)),
  2: (call) => refuse(call, "486 Busy Here"),
  3: (call) => ring(call, () => refuse(call, "603 Decline")),
  4: (call) => refuse(call, "404 Not Found"),
  5: (call) => ring(call, () => refuse(call, "480 Temporarily Unavailable")),
  6: (call) => refuse(call, "503 Service Unavailable"),
  7: (call) => ring(call, () => expire(call)),
  8: answer,
  9: (call) => refuse(call, "500 Server Internal Error", ['Reason: Q.850;cause=17;text="User busy"']),
}
const hangsUp = (to: string) => to.endsWith("1") || to.endsWith("8")

const invite = (message: string, from: RemoteInfo) => {
  const id = field(message, "call-id")
  const known = calls.get(id)
  // The same INVITE again: its answer was lost.
  if (known !== undefined) return send(known.last, from)
  if (dice.chance(troubles.mute)) return
  const to = /^INVITE sips?:([^@;]+)/i.exec(message)?.[1] ?? ""
  const call: Call = { invite: message, from, to, timers: new Set(), last: "", isAcknowledged: false, isOver: false }
  calls.set(id, call)
  note("invite", message, to)
  call.last = respond(message, "100 Trying", from)
  if (dice.chance(troubles.refuse)) return refuse(call, "503 Service Unavailable", ["Retry-After: 5"])
  behaviours[to.at(-1) ?? "4"]?.(call)
}

const handlers: Record<string, (message: string, from: RemoteInfo, call: Call | undefined) => void> = {
  INVITE: invite,
  ACK: (message, _, call) => {
    if (call === undefined || call.isAcknowledged) return
    call.isAcknowledged = true
    if (call.isOver) return
    note("acknowledged", message, call.to)
    if (hangsUp(call.to)) after(call, talksMs, () => hangUp(call))
  },
  OPTIONS: (message, from) => void respond(message, "200 OK", from),
  CANCEL: (message, from, call) => {
    // It belongs to the INVITE of the same branch, host and port (RFC 3261 §9.2), from wherever it comes.
    const isKnown = call !== undefined && keyOf(message) === keyOf(call.invite)
    respond(message, isKnown ? "200 OK" : "481 Call/Transaction Does Not Exist", from)
    // The CANCEL has crossed the answer, or it is the same one again.
    if (!isKnown || call.isOver || call.last.startsWith("SIP/2.0 200")) return
    note("cancel", message, call.to, { port: from.port })
    call.isOver = true
    conclude(call, "487 Request Terminated", [], "", () => {})
  },
  BYE: (message, from, call) => {
    if (call !== undefined && !call.isOver) note("bye", message, call.to, { port: from.port })
    respond(message, call === undefined || call.isOver ? "481 Call/Transaction Does Not Exist" : "200 OK", from)
    if (call !== undefined) call.isOver = true
  },
}

const take = (message: string, from: RemoteInfo) => {
  const id = field(message, "call-id")
  if (message.startsWith("SIP/2.0 ")) return void confirmed.add(id)
  const [, method = ""] = /^([A-Z]+) sips?:/.exec(message) ?? []
  handlers[method]?.(message, from, calls.get(id))
}

createInterface(process.stdin).on("line", (line) => void (troubles = { ...none, ...JSON.parse(line) }))
socket.on("message", (bytes, from) => carry(() => take(bytes.toString("latin1"), from)))
socket.bind(0, "127.0.0.1", () => console.log(`Trunk is ready at 127.0.0.1:${socket.address().port}`))
