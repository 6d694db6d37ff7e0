/**
 * A connection to the server that sends at once what was written in one turn of the event loop. Requests that arrive
 * together ask together, and the system call is the dearest part of a prepared statement: some eight share one under
 * load, which makes a read by id a tenth cheaper (docs/benchmarks.md).
 */
import { connect, type Socket } from "node:net"
import { pace } from "./PacedReads.ts"

/** After this silence the system asks whether the server is still there. */
const silence = 10_000

/** How the driver gets its connections; undefined where the URL names no host, and the driver knows better. */
export const socketsTo = (url: URL): (() => Socket) | undefined => {
  const { hostname, port, searchParams } = url
  if (hostname === "" || hostname.startsWith("%2F") || searchParams.has("host") || searchParams.has("port")) {
    return undefined
  }
  const host = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1"))
  return () => pace(gathering(host, Number(port || 5432)))
}

const gathered = new Set<() => void>()

/** Sends now what would go out at the end of the turn: before somebody holds the event loop, while a server has nothing to do. */
export const sendGathered = (): void => {
  for (const send of gathered) send()
}

export const gathering = (host: string, port: number): Socket => {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: silence })
  // On the socket itself, not on a class of its own: `connect` puts the plain `write` back.
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
