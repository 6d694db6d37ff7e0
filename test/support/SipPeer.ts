/** A far end that is a bare socket: it receives a call from one of Parley's agents, and writes its requests as text. */
import { Effect, Queue } from "effect"
import { type Field, fieldOf, type Request } from "../../src/telephony/sip/Message.ts"
import type { Order } from "../../src/telephony/sip/OutgoingCall.ts"
import { answered, offered, openAgent, openRaw, orderTo, placed, respond } from "./SipAgents.ts"

/** Places a call from an agent to a bare socket, which has received the INVITE. */
export const invited = Effect.fnUntraced(function* (fields: Partial<Order> = {}) {
  const ours = yield* openAgent()
  const far = yield* openRaw
  const port = ours.localPort("udp")
  const { call, close, progress } = yield* placed(ours, yield* orderTo(ours, far, "udp", fields))
  const invite = yield* far.takeRequest("INVITE")
  const send = (request: Request, status: number, parts?: Parameters<typeof respond>[2]) =>
    far.send(respond(request, status, parts), port)
  const contact: ReadonlyArray<Field> = [far.contact()]
  const answer = (parts: Parameters<typeof respond>[2] = {}) =>
    send(invite, 200, { body: answered, fields: contact, ...parts })
  return { ours, far, invite, send, answer, call, close, progress, port }
})

/** A BYE from the phone that answered an INVITE with this tag. */
export const byeOf = (invite: Request, tag: string, port: number) =>
  `BYE sip:parley@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKbye\r\nFrom: ${fieldOf(invite, "to")};tag=${tag}\r\nTo: ${fieldOf(invite, "from")}\r\nCall-ID: ${invite.callId}\r\nCSeq: 1 BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`

/** An INVITE without an offer, from a caller at `port`. */
export const inviteFrom = (port: number, to: number, branch = "z9hG4bK1") =>
  `INVITE sip:parley@127.0.0.1:${to} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch}\r\nFrom: <sip:a@b>;tag=far\r\nTo: <sip:parley@127.0.0.1>\r\nCall-ID: c1\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContact: <sip:a@127.0.0.1:${port}>\r\nContent-Length: 0\r\n\r\n`

export const optionsFrom = (port: number, to: number, id: number) =>
  inviteFrom(port, to, `z9hG4bKo${id}`).replaceAll("INVITE", "OPTIONS").replace("c1", `c${id}`)

/** The same INVITE with an offer, from a caller that requires reliable provisional responses (RFC 3262). */
const reliableInviteFrom = (port: number, to: number) =>
  inviteFrom(port, to)
    .replace("Max-Forwards", "Require: 100rel\r\nContent-Type: application/sdp\r\nMax-Forwards")
    .replace("Content-Length: 0\r\n\r\n", `Content-Length: ${offered.length}\r\n\r\n${offered}`)

/** An agent that rings for a caller that requires reliable provisional responses. */
export const ringingReliably = Effect.gen(function* () {
  const ours = yield* openAgent()
  const far = yield* openRaw
  const port = ours.localPort("udp")
  yield* far.send(reliableInviteFrom(far.localPort(), port), port)
  const call = yield* Queue.take(ours.calls)
  call.ring()
  return { ours, far, port, call }
})
