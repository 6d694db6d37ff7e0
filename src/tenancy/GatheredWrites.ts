/**
 * A connection to the server that sends together what was written in one tick of the event loop. Requests that arrive
 * together then send their statements together. Under load, some eight statements share one system call, which is the
 * most expensive part of a prepared statement. A read by id becomes a tenth cheaper (docs/benchmarks.md).
 */
import { connect, type Socket } from "node:net"
import { pace } from "./PacedReads.ts"

/** Milliseconds of silence after which the operating system checks whether the server is still there. */
const silence = 10_000

/** Makes the driver's sockets; undefined if the URL names no host, and the driver chooses the socket itself. */
export const socketsTo = (url: URL): (() => Socket) | undefined => {
  const { hostname, port, searchParams } = url
  if (hostname === "" || hostname.startsWith("%2F") || searchParams.has("host") || searchParams.has("port")) {
    return undefined
  }
  const host = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1"))
  return () => pace(gathering(host, Number(port || 5432)))
}

const gathered = new Set<() => void>()

/**
 * Sends at once what would go out at the end of the tick: for use before work that holds the event loop, so that the
 * server is not idle meanwhile.
 */
export const sendGathered = (): void => {
  for (const send of gathered) send()
}

export const gathering = (host: string, port: number): Socket => {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: silence })
  // Replaces `write` on the socket itself and not in a subclass, because `connect` restores the plain `write`.
  const write = socket.write.bind(socket)
  const send = () => {
    if (gathered.delete(send)) socket.uncork()
  }
  return Object.assign(socket, {
    write: (chunk: Uint8Array): boolean => {
      if (!gathered.has(send) && !socket.connecting) {
        gathered.add(send)
        socket.cork()
        setImmediate(send)
      }
      return write(chunk)
    },
  })
}
