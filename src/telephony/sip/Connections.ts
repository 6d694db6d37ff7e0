/** TCP and TLS connections, opened by peers or by us. Each is used in both directions while it is open. */
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { Place, Source, Transport } from "./Hop.ts"
import { StreamFrames } from "./StreamFrames.ts"

/** Milliseconds. */
const connectsWithin = 10_000
/**
 * A connection that is idle for `idleAfter` is closed, and one whose message does not end within a transaction's life.
 */
const idleAfter = 15 * 60_000
const messageWithin = 32_000
/** Connections that one address may make. */
const mostOfOneAddress = 64
/** A connection with more unsent bytes is closed: a peer that reads nothing must not fill our memory. */
const mostUnsentBytes = 1 << 20
/** RFC 5626 §4.4.1: the answer to a keep-alive. */
const pong = Buffer.from("\r\n")

interface Parts {
  readonly knows: (address: string) => boolean
  readonly receive: (bytes: Buffer, source: Source) => void
  readonly ca?: string
}

export class Connections {
  private readonly open = new Map<string, Socket>()
  private readonly accepted = new Map<string, number>()
  private readonly sockets = new Set<Socket>()
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Counts a new connection until it closes. Closes it and returns false if the peer is unknown or has too many. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ""
    const open = this.accepted.get(address) ?? 0
    if (!this.parts.knows(address) || open >= mostOfOneAddress) {
      socket.destroy()
      return false
    }
    this.accepted.set(address, open + 1)
    socket.once("close", () => {
      const left = (this.accepted.get(address) ?? 1) - 1
      if (left > 0) this.accepted.set(address, left)
      else this.accepted.delete(address)
    })
    return true
  }

  /** Reads from an admitted connection. */
  serveAccepted(socket: Socket, transport: Transport): void {
    this.serve(socket, { transport, address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 })
  }

  send(bytes: Buffer, place: Place & { readonly serverName?: string }, failed: () => void): void {
    const known = this.open.get(keyOf(place))
    const socket = known?.writable === true ? known : this.connect(place)
    // Messages written before the connection is established are queued, and fail with it.
    write(socket, bytes, (error) => {
      if (error !== null && error !== undefined) failed()
    })
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private connect(place: Place & { readonly serverName?: string }): Socket {
    const { address: host, port, serverName = "", transport } = place
    const servername = isIP(serverName) === 0 ? serverName : ""
    const ca = this.parts.ca === undefined ? {} : { ca: this.parts.ca }
    const socket = transport === "tls" ? connectTls({ host, port, servername, ...ca }) : connectTcp({ host, port })
    const limit = setTimeout(() => socket.destroy(new Error("no connection in time")), connectsWithin)
    socket.once(transport === "tls" ? "secureConnect" : "connect", () => clearTimeout(limit))
    socket.once("close", () => clearTimeout(limit))
    this.serve(socket, place)
    return socket
  }

  private serve(socket: Socket, { address, port, transport }: Place): void {
    const key = keyOf({ transport, address, port })
    this.open.set(key, socket)
    this.sockets.add(socket)
    const frames = new StreamFrames()
    const reply = (bytes: Buffer) => {
      if (socket.writable) write(socket, bytes)
      return socket.writable
    }
    socket.setNoDelay(true)
    socket.setTimeout(idleAfter, () => socket.destroy())
    socket.on("error", () => {})
    socket.on("data", (chunk: Buffer) => {
      const taken = frames.take(chunk)
      if (taken === "broken") return void socket.destroy()
      socket.setTimeout(frames.isPartial ? messageWithin : idleAfter)
      if (taken.emptyLines >= 2) reply(pong)
      for (const message of taken.messages) this.parts.receive(message, { transport, address, port, reply })
    })
    socket.once("close", () => {
      this.sockets.delete(socket)
      if (this.open.get(key) === socket) this.open.delete(key)
    })
  }
}

const write = (socket: Socket, bytes: Buffer, done?: (error?: Error | null) => void): void => {
  socket.write(bytes, done)
  if (socket.writableLength > mostUnsentBytes) socket.destroy(new Error("the peer reads nothing"))
}

const keyOf = ({ address, port, transport }: Place): string => `${transport} ${address} ${port}`
