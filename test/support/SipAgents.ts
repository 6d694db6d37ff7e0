/**
 * Two of Parley's own SIP user agents that talk over real sockets on loopback, and a bare socket for messages that
 * neither would send.
 */
import { Effect, Exit, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { AddressGuard } from "../../src/outbound/AddressGuard.ts"
import { ServiceRecords } from "../../src/outbound/ServiceRecords.ts"
import type { Transport } from "../../src/telephony/sip/Hop.ts"
import type { IncomingCall } from "../../src/telephony/sip/IncomingCall.ts"
import {
  type Field,
  fieldOf,
  type Message,
  rawFieldsOf,
  type Request,
  type Response,
  type Unreadable,
  writeResponse,
} from "../../src/telephony/sip/Message.ts"
import { parseMessage } from "../../src/telephony/sip/MessageParser.ts"
import type { Order } from "../../src/telephony/sip/OutgoingCall.ts"
import type { Session, SessionEvent } from "../../src/telephony/sip/Session.ts"
import * as Sip from "../../src/telephony/sip/Sip.ts"
import { newId } from "../../src/telephony/sip/Ids.ts"
import { writeUri } from "../../src/telephony/sip/Uri.ts"

const folder = `${import.meta.dirname}/../telephony/sip/tls`
const cert = readFileSync(`${folder}/cert.pem`, "utf8")
const key = readFileSync(`${folder}/key.pem`, "utf8")

/** A self-signed certificate for the name `localhost`. */
export const certificate = { cert, key, file: `${folder}/cert.pem`, keyFile: `${folder}/key.pem` }

export const offered =
  "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"
export const answered = offered.replace("40000", "50000")

/** True for both addresses that `localhost` resolves to. */
const isFirstLoopback = (address: string): boolean => address === "127.0.0.1" || address === "::1"

/** Opens a user agent. `calls` holds its incoming calls. */
export const openAgent = (
  knows: (address: string) => boolean = isFirstLoopback,
  host: string | null = null,
  records = ServiceRecords.layer,
) =>
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<IncomingCall>()
    const agent = yield* Sip.open({
      listener: { port: 0, hosts: host === null ? [] : [host], tls: { port: 0, cert, key } },
      bind: ["127.0.0.1", "::1"],
      isOwnNetwork: knows,
      incoming: (call) => void Queue.offerUnsafe(calls, call),
      ca: cert,
      // A port that is free for UDP may be in use for TCP.
    }).pipe(Effect.retry({ times: 20 }), Effect.orDie)
    return { ...agent, calls }
  }).pipe(Effect.provide([AddressGuard.layer, records]))

export type Agent = Effect.Success<ReturnType<typeof openAgent>>

/** An order for a call from one agent to the other. */
export const orderTo = Effect.fnUntraced(function* (
  from: Agent,
  to: { readonly localPort: Agent["localPort"] },
  transport: Transport = "udp",
  fields: Partial<Order> = {},
  address = "127.0.0.1",
) {
  const port = to.localPort(transport)
  // The certificate names a host only, while the called agent's Contact is an address, as with many trunks.
  const host = transport === "tls" ? "localhost" : address
  const hops = yield* Effect.orDie(from.find({ host, port, transport }))
  const order: Order = {
    to: `${writeUri("+14155550100", address, port)}${transport === "udp" ? "" : `;transport=${transport}`}`,
    from: "<sip:+14155550199@127.0.0.1>",
    offer: offered,
    hops,
    credentials: null,
    callId: newId(),
    expires: 60,
  }
  return { ...order, ...fields }
})

/** Advances the clock second by second, with time for the sockets in between, until `holds`. */
export const step = Effect.fnUntraced(function* (holds: () => boolean) {
  while (!holds()) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* TestClock.adjust("1 second")
  }
})

/** Places a call in its own scope. */
export const placed = Effect.fnUntraced(function* (ours: Agent, order: Order) {
  const scope = yield* Scope.make()
  const progress = yield* Queue.unbounded<readonly [number, string | null]>()
  const note = (status: number, sdp: string | null) => void Queue.offerUnsafe(progress, [status, sdp])
  const call = yield* Effect.forkChild(Scope.provide(ours.invite(order, note), scope))
  return { call, progress: Queue.take(progress), close: Scope.close(scope, Exit.void) }
})

/** Takes the events of a session one by one. */
export const eventsOf = (session: Session) =>
  Effect.map(Queue.unbounded<SessionEvent>(), (events) => {
    session.listen((event) => void Queue.offerUnsafe(events, event))
    return Queue.take(events)
  })

/** A response to a request, with the fields that each response copies from it. */
export const respond = (
  request: Request,
  status: number,
  { body = "", fields = [], tag = "far" }: { body?: string; fields?: ReadonlyArray<Field>; tag?: string } = {},
): Buffer => {
  const echoed = ["via", "from", "call-id", "cseq"].flatMap((name) =>
    rawFieldsOf(request, name).map((value): Field => [name, value]),
  )
  const to = fieldOf(request, "to") ?? ""
  const tagged = status === 100 || to.includes(";tag=") ? to : `${to};tag=${tag}`
  const described: ReadonlyArray<Field> = body === "" ? [] : [["content-type", "application/sdp"]]
  return writeResponse(status, [...echoed, ["to", tagged], ...described, ...fields], Buffer.from(body))
}

/** A UDP socket that sends and receives SIP as text. */
export const openRawAt = Effect.fnUntraced(function* (host: string) {
  const messages = yield* Queue.unbounded<Message | Unreadable>()
  const socket = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4").bind(0, host)
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close()),
  )
  socket.on("message", (bytes) => void Queue.offerUnsafe(messages, parseMessage(bytes, { isStream: false })))
  const port = () => socket.address().port
  return {
    localPort: port,
    /** The Contact field of this socket. */
    contact: (): Field => ["contact", `<sip:127.0.0.1:${port()}>`],
    take: Queue.take(messages),
    /** The next request with this method. Others that come before it are dropped. */
    takeRequest: (method: string) =>
      Queue.take(messages).pipe(
        Effect.repeat({ until: (message) => message.kind === "request" && message.method === method }),
        Effect.map((message) => message as Request),
      ),
    takeResponse: Queue.take(messages).pipe(
      Effect.repeat({ until: (message) => message.kind === "response" }),
      Effect.map((message) => message as Response),
    ),
    /** The count of messages that have arrived and were not taken. */
    left: Queue.size(messages),
    send: (bytes: Buffer | string, port: number) =>
      Effect.callback<void>((resume) => void socket.send(bytes, port, "127.0.0.1", () => resume(Effect.void))),
  }
})

export const openRaw = openRawAt("127.0.0.1")
