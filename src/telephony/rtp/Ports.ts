/**
 * Allocates ports for calls: pairs of an even port for RTP and the odd one above it for RTCP, from the range of the
 * settings. Closing a call's scope frees its pair.
 */
import { Context, Data, Effect, Layer, type Scope } from "effect"
import { randomInt } from "node:crypto"
import { createSocket, type Socket, type SocketOptions } from "node:dgram"
import { isIPv6 } from "node:net"
import { networkInterfaces } from "node:os"
import { MediaSettings, type PortRange } from "./MediaSettings.ts"

/** No pair of ports is free. */
export class PortsExhausted extends Data.TaggedError("PortsExhausted")<PortRange> {
  override get message() {
    return `No pair of media ports between ${this.first} and ${this.last} is free, so the call cannot carry sound. Widen PARLEY_MEDIA_PORTS, or take fewer calls at a time on this machine.`
  }
}

/** Two open sockets. `port` is the even one; the other has the number above it. */
export interface PortPair {
  readonly port: number
  readonly rtp: Socket
  readonly rtcp: Socket
}

type Lookup = NonNullable<SocketOptions["lookup"]>

/**
 * Destinations are IP addresses. The default look-up would delay each packet to a later tick of the event loop. The
 * family is the socket's own: finding it in the address would take time for each packet.
 */
const lookupIn =
  (family: 4 | 6): Lookup =>
  (hostname, _, answer) =>
    answer(null, hostname, family)

/** Opens a socket at the port; null if another process has the port. */
const bind = (host: string, port: number): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = createSocket(
      isIPv6(host) ? { type: "udp6", ipv6Only: true, lookup: lookupIn(6) } : { type: "udp4", lookup: lookupIn(4) },
    )
    socket.once("error", () => {
      socket.close()
      resolve(null)
    })
    socket.bind({ address: host, port, exclusive: true }, () => {
      socket.removeAllListeners("error")
      // Ignored: a packet that cannot be sent is lost, as on any network.
      socket.on("error", () => {})
      resolve(socket)
    })
  })

const bindPair = async (host: string, port: number): Promise<PortPair | null> => {
  const rtp = await bind(host, port)
  const rtcp = rtp === null ? null : await bind(host, port + 1)
  if (rtp !== null && rtcp !== null) return { port, rtp, rtcp }
  rtp?.close()
  return null
}

const closePair = ({ rtcp, rtp }: PortPair): Promise<unknown> =>
  Promise.all([rtp, rtcp].map((socket) => new Promise<void>((resolve) => void socket.close(resolve))))

/**
 * Returns the address to bind: the host itself if it is this machine's, else all addresses, because a NAT in front of
 * the machine has that one.
 */
const bindingAddress = (host: string): string => {
  const own = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address))
  return own.includes(host) ? host : isIPv6(host) ? "::" : "0.0.0.0"
}

export class Ports extends Context.Service<
  Ports,
  {
    /** Opens a pair that receives what is sent to this address, until the scope closes. */
    readonly open: (host: string) => Effect.Effect<PortPair, PortsExhausted, Scope.Scope>
  }
>()("telephony/rtp/Ports") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { ports } = yield* MediaSettings
      const lowest = ports.first + (ports.first % 2)
      const pairs = Math.floor((ports.last - lowest + 1) / 2)
      const taken = new Set<number>()
      // A port that was just freed is used last, because the previous call's peer may still send to it.
      let next = randomInt(pairs)
      const acquire = async (host: string): Promise<PortPair | null> => {
        const address = bindingAddress(host)
        for (let tried = 0; tried < pairs; tried++) {
          const port = lowest + 2 * (next++ % pairs)
          if (taken.has(port)) continue
          taken.add(port)
          const pair = await bindPair(address, port)
          if (pair !== null) return pair
          taken.delete(port)
        }
        return null
      }
      return {
        open: (host) =>
          Effect.acquireRelease(
            Effect.flatMap(
              Effect.promise(() => acquire(host)),
              (pair) => (pair === null ? new PortsExhausted(ports) : Effect.succeed(pair)),
            ),
            (pair) =>
              Effect.andThen(
                Effect.promise(() => closePair(pair)),
                Effect.sync(() => taken.delete(pair.port)),
              ),
          ),
      }
    }),
  )
}
