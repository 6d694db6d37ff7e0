/**
 * The transport layer of SIP (RFC 3261 §18): UDP, TCP and TLS sockets. Unknown addresses get no answer. A connection is
 * reused while it is open. Only this module parses incoming bytes.
 */
import { Clock, Data, Effect, type Scope } from "effect"
import { createSocket, type Socket as DatagramSocket } from "node:dgram"
import { createServer, isIPv6, type Server } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { Connections } from "./Connections.ts"
import type { Sender, Source, Transport } from "./Hop.ts"
import type { Message, Unreadable } from "./Message.ts"
import { parseMessage } from "./MessageParser.ts"
import { SourceAllowance } from "./SourceAllowance.ts"

export interface WireOptions {
  /** The addresses to listen on, one of each family. An IPv6 one is left out on a machine without IPv6. */
  readonly bind: readonly [ipv4: string, ipv6: string]
  /** For UDP and TCP; 0: a free one. */
  readonly port: number
  /** Our certificate and key in PEM. Null: we open TLS connections but accept none. */
  readonly tls: { readonly port: number; readonly cert: string; readonly key: string } | null
  /** PEM of a certificate authority that is trusted beside the usual ones. */
  readonly ca?: string
  /** Whether messages from this address are read. */
  readonly knows: (address: string) => boolean
  readonly receive: (message: Message | Unreadable, source: Source) => void
}

export class SipPortTaken extends Data.TaggedError("SipPortTaken")<{ readonly port: number; readonly why: string }> {
  override get message() {
    return `SIP cannot listen on port ${this.port} (${this.why}). Set PARLEY_SIP_PORT to a free port.`
  }
}

/** The kernel's receive buffer of the UDP socket: room for 500 calls that begin at once. */
const receiveBufferBytes = 1 << 20
/** Milliseconds. */
const handshakeTimeout = 10_000
/** Shorter datagrams are ignored: peers send empty lines to keep their NAT binding open. */
const leastBytes = 8

/** Opens the sockets. Closing the scope closes them. */
export const open = Effect.fn("Wire.open")(function* (
  options: WireOptions,
): Effect.fn.Return<Sender, SipPortTaken, Scope.Scope> {
  const clock = yield* Clock.Clock
  const allowance = new SourceAllowance(() => clock.currentTimeMillisUnsafe())
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const take = (bytes: Buffer, source: Source, isStream: boolean) => {
    const { address } = source
    if (!options.knows(address) || !allowance.admits(address, bytes.length)) return
    try {
      options.receive(parseMessage(bytes, { isStream }), source)
    } catch (fault) {
      // Thrown out of a socket's event, this would end the process and every call in it. The peer sends the message
      // again, or its timers end the call.
      run(Effect.logError("handling a SIP message failed; it is ignored", fault))
    }
  }
  const connections = new Connections({
    knows: options.knows,
    receive: (bytes, source) => take(bytes, source, true),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })

  const [ipv4, ipv6] = options.bind
  const datagrams = yield* bindDatagrams(ipv4, options.port)
  const { port } = datagrams.address()
  const datagrams6 = yield* whereSupported(bindDatagrams(ipv6, port))
  for (const socket of [datagrams, datagrams6]) {
    socket?.on("message", (bytes, { address, port }) => {
      if (bytes.length >= leastBytes) take(bytes, { transport: "udp", address, port, reply: null }, false)
    })
  }
  const accept = (host: string) =>
    listen(
      createServer((socket) => {
        if (connections.admit(socket)) connections.serveAccepted(socket, "tcp")
      }),
      host,
      port,
    )
  yield* accept(ipv4)
  yield* whereSupported(accept(ipv6))
  const { tls } = options
  const tlsPort = tls === null ? 0 : yield* listenTls(tls, ipv4, connections)
  if (tls !== null) yield* whereSupported(listenTls({ ...tls, port: tlsPort }, ipv6, connections))
  const ports: Record<Transport, number> = { udp: port, tcp: port, tls: tlsPort === 0 ? port : tlsPort }
  // Connections close before the servers, which wait for them.
  yield* Effect.addFinalizer(() => Effect.sync(() => connections.close()))
  return {
    localPort: (transport) => ports[transport],
    send: (bytes, place, failed) => {
      if (place.transport !== "udp") return connections.send(bytes, place, failed)
      const socket = isIPv6(place.address) ? datagrams6 : datagrams
      // A peer's Via or Contact may name port 0, for which `send` throws.
      if (socket === null || place.port === 0) return void setImmediate(failed)
      socket.send(bytes, place.port, place.address, (error) => {
        if (error !== null) failed()
      })
    },
  }
})

/** Null where the machine has no IPv6, or not this address. */
const whereSupported = <A>(listening: Effect.Effect<A, SipPortTaken, Scope.Scope>) =>
  Effect.catch(listening, (taken): Effect.Effect<A | null, SipPortTaken> =>
    /EAFNOSUPPORT|EADDRNOTAVAIL/.test(taken.why) ? Effect.succeed(null) : Effect.fail(taken),
  )

const bindDatagrams = (host: string, port: number) =>
  Effect.acquireRelease(
    Effect.callback<DatagramSocket, SipPortTaken>((resume) => {
      const family = isIPv6(host) ? ({ type: "udp6", ipv6Only: true } as const) : ({ type: "udp4" } as const)
      const socket = createSocket({ ...family, recvBufferSize: receiveBufferBytes })
      socket.once("error", ({ message }) => resume(Effect.fail(new SipPortTaken({ port, why: message }))))
      socket.bind(port, host, () => {
        // From now on an error concerns one datagram, and its `send` reports it.
        socket.removeAllListeners("error").on("error", () => {})
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void))),
  )

const listen = (server: Server, host: string, port: number) =>
  Effect.acquireRelease(
    Effect.callback<number, SipPortTaken>((resume) => {
      server.once("error", ({ message }) => resume(Effect.fail(new SipPortTaken({ port, why: message }))))
      server.listen({ port, host, ipv6Only: isIPv6(host) }, () => {
        server.removeAllListeners("error").on("error", () => {})
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
      })
    }),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
  )

const listenTls = ({ cert, key, port }: NonNullable<WireOptions["tls"]>, host: string, connections: Connections) => {
  const server = createTlsServer({ cert, key, handshakeTimeout }, (socket) => connections.serveAccepted(socket, "tls"))
  // The address is checked before the TLS handshake, which is the most expensive step here.
  server.on("connection", (socket) => connections.admit(socket))
  server.on("tlsClientError", (_, socket) => void socket.destroy())
  return listen(server, host, port)
}
