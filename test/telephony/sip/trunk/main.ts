/**
 * A SIP trunk as a process of its own, over UDP. It keeps its own ground truth and shares no code with Parley, so that
 * neither believes the other's misreading.
 *
 *     node test/telephony/sip/trunk/main.ts --log calls.jsonl
 *
 * It is ready when it prints `Trunk is ready at 127.0.0.1:PORT`. A number behaves by its last digit:
 *   0  rings, answers, and stays until the caller hangs up
 *   1  rings, answers, and hangs up after half a second
 *   2  busy (486)          3  a person declines (603)   4  no such number (404)   5  rings, and is not taken (480)
 *   6  the network is full (503)                        7  rings until the caller gives up
 *   8  answers at once without ringing, and hangs up after half a second
 *   9  is busy by the telephone network's word: 500 with the cause 17 of Q.850
 * Ground truth (--log), one JSON object a line: {"event","call","to"}, where the event is invite, answer, acknowledged,
 * refuse, cancel, hung_up (by the trunk), or bye (from the caller, with the port that it came from).
 */
import { createSocket, type RemoteInfo } from "node:dgram"
import { appendFileSync } from "node:fs"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { log: { type: "string", default: "/dev/null" } } })
const ringsMs = 300
const talksMs = 500
const repeatsMs = 500

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

const field = (message: string, name: string): string =>
  new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, "im").exec(message)?.[1]?.trim() ?? ""
const all = (message: string, name: string): ReadonlyArray<string> =>
  [...message.matchAll(new RegExp(`^${name}[ \\t]*:.*$`, "gim"))].map(([line]) => line.trim())

const note = (event: string, message: string, to: string, more: object = {}) =>
  appendFileSync(values.log, `${JSON.stringify({ event, call: field(message, "call-id"), to, ...more })}\n`)

const send = (text: string, to: RemoteInfo) => socket.send(text, to.port, to.address)

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

const refuse = (call: Call, status: string, rest: ReadonlyArray<string> = []) => {
  call.isOver = true
  note("refuse", call.invite, call.to, { status: Number(status.slice(0, 3)) })
  call.last = respond(call.invite, status, call.from, rest)
}

const answer = (call: Call) => {
  note("answer", call.invite, call.to)
  call.last = respond(call.invite, "200 OK", call.from, [], sdp(40_000))
  const repeat = () => {
    if (call.isAcknowledged) return
    send(call.last, call.from)
    after(call, repeatsMs, repeat)
  }
  after(call, repeatsMs, repeat)
}

const hangUp = (call: Call) => {
  call.isOver = true
  note("hung_up", call.invite, call.to)
  const target = /<([^>]*)>/.exec(field(call.invite, "contact"))?.[1] ?? ""
  const id = field(call.invite, "call-id")
  send(
    `BYE ${target} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK${id}\r\nFrom: ${field(call.invite, "to")};tag=trunk\r\nTo: ${field(call.invite, "from")}\r\nCall-ID: ${id}\r\nCSeq: 1 BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`,
    call.from,
  )
}

const ring = (call: Call, then: () => void) => {
  call.last = respond(call.invite, "180 Ringing", call.from)
  after(call, ringsMs, then)
}

const behaviours: Record<string, (call: Call) => void> = {
  0: (call) => ring(call, () => answer(call)),
  1: (call) => ring(call, () => answer(call)),
  2: (call) => refuse(call, "486 Busy Here"),
  3: (call) => ring(call, () => refuse(call, "603 Decline")),
  4: (call) => refuse(call, "404 Not Found"),
  5: (call) => ring(call, () => refuse(call, "480 Temporarily Unavailable")),
  6: (call) => refuse(call, "503 Service Unavailable"),
  7: (call) => ring(call, () => {}),
  8: answer,
  9: (call) => refuse(call, "500 Server Internal Error", ['Reason: Q.850;cause=17;text="User busy"']),
}
const hangsUp = (to: string) => to.endsWith("1") || to.endsWith("8")

const invite = (message: string, from: RemoteInfo) => {
  const id = field(message, "call-id")
  const known = calls.get(id)
  // The same INVITE again: its answer was lost.
  if (known !== undefined) return send(known.last, from)
  const to = /^INVITE sips?:([^@;]+)/i.exec(message)?.[1] ?? ""
  const call: Call = { invite: message, from, to, timers: new Set(), last: "", isAcknowledged: false, isOver: false }
  calls.set(id, call)
  note("invite", message, to)
  call.last = respond(message, "100 Trying", from)
  behaviours[to.at(-1) ?? "4"]?.(call)
}

const handlers: Record<string, (message: string, from: RemoteInfo, call: Call | undefined) => void> = {
  INVITE: invite,
  ACK: (message, _, call) => {
    if (call === undefined || call.isAcknowledged || call.isOver) return
    call.isAcknowledged = true
    note("acknowledged", message, call.to)
    if (hangsUp(call.to)) after(call, talksMs, () => hangUp(call))
  },
  CANCEL: (message, from, call) => {
    respond(message, "200 OK", from)
    if (call === undefined || call.isOver) return
    note("cancel", message, call.to)
    call.isOver = true
    call.last = respond(call.invite, "487 Request Terminated", call.from)
  },
  BYE: (message, from, call) => {
    if (call !== undefined && !call.isOver) note("bye", message, call.to, { port: from.port })
    respond(message, call === undefined || call.isOver ? "481 Call/Transaction Does Not Exist" : "200 OK", from)
    if (call !== undefined) call.isOver = true
  },
}

socket.on("message", (bytes, from) => {
  const message = bytes.toString("latin1")
  const [, method = ""] = /^([A-Z]+) sips?:/.exec(message) ?? []
  handlers[method]?.(message, from, calls.get(field(message, "call-id")))
})
socket.bind(0, "127.0.0.1", () => console.log(`Trunk is ready at 127.0.0.1:${socket.address().port}`))
