/**
 * A faulty network between Parley and PostgreSQL. It drops, refuses, delays and half-opens connections, and cuts a
 * connection between a COMMIT on the server and its response. Of the protocol it knows only the framing of messages.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Sets the port to which new connections go. */
  readonly aim: (port: number) => void
  /** Breaks this share of the connections. Returns their count. */
  readonly drop: (share: number) => number
  /** Refuses every new connection. */
  readonly refuse: (refusing: boolean) => void
  /** Delays each message by this time, in both directions. */
  readonly delay: (milliseconds: number) => void
  /**
   * Silences this share of the connections in both directions without closing them. They break after `milliseconds`.
   */
  readonly silence: (share: number, milliseconds: number) => number
  /** Breaks the connections of the next commits before the response arrives. Calls `onCommitCut` for each. */
  readonly cutCommits: (count: number) => void
  /** Stops all faults. Broken connections stay broken. */
  readonly heal: () => void
  readonly stop: () => Promise<void>
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
}

const sslRequest = 80_877_103

export const start = async (onCommitCut: () => void, among: () => number = Math.random): Promise<Proxy> => {
  const links = new Set<Link>()
  let target = 0
  let refusing = false
  let delayMs = 0
  let commitsToCut = 0

  const end = (link: Link) => {
    links.delete(link)
    link.client.destroy()
    link.server.destroy()
  }

  /** Forwards in order, even if the delay changes in between. */
  const sender = (link: Link, to: Socket, from: Socket) => {
    let last = 0
    const write = (bytes: Buffer) => {
      if (link.silent || to.destroyed) return
      if (!to.write(bytes)) {
        from.pause()
        to.once("drain", () => from.resume())
      }
    }
    return (bytes: Buffer) => {
      if (link.silent) return
      const now = performance.now()
      last = Math.max(last, now + delayMs)
      if (last <= now) write(bytes)
      else setTimeout(() => write(bytes), last - now)
    }
  }

  const listener = createServer({ noDelay: true }, (client) => {
    if (refusing) return client.destroy()
    const server = connect({ port: target, host: "127.0.0.1", noDelay: true })
    const link: Link = { client, server, silent: false }
    links.add(link)
    for (const socket of [client, server]) {
      socket.on("error", () => end(link))
      socket.on("close", () => {
        // The remaining half of a silenced connection is not closed.
        if (!link.silent) end(link)
      })
    }
    const up = sender(link, server, client)
    const down = sender(link, client, server)
    let greeted = false
    let bareBytes = 0
    client.on("data", (bytes: Buffer) => {
      if (!greeted && bytes.length >= 8 && bytes.readInt32BE(4) === sslRequest) bareBytes = 1
      greeted = true
      up(bytes)
    })
    let rest: Buffer = Buffer.alloc(0)
    server.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let at = 0
      if (bareBytes > 0) {
        at = bareBytes
        bareBytes = 0
      }
      while (rest.length >= at + 5) {
        const length = 1 + rest.readInt32BE(at + 1)
        if (rest.length < at + length) break
        if (commitsToCut > 0 && rest[at] === 0x43 && rest.toString("latin1", at + 5, at + 11) === "COMMIT") {
          commitsToCut--
          onCommitCut()
          return end(link)
        }
        at += length
      }
      if (at > 0) down(rest.subarray(0, at))
      rest = rest.subarray(at)
    })
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const address = listener.address()

  const share = (part: number) => [...links].filter(() => among() < part)
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    aim: (port) => void (target = port),
    drop: (part) => {
      const chosen = share(part)
      chosen.forEach(end)
      return chosen.length
    },
    refuse: (now) => void (refusing = now),
    delay: (milliseconds) => void (delayMs = milliseconds),
    silence: (part, milliseconds) => {
      const chosen = share(part)
      for (const link of chosen) {
        link.silent = true
        setTimeout(() => end(link), milliseconds)
      }
      return chosen.length
    },
    cutCommits: (count) => void (commitsToCut = count),
    heal: () => {
      refusing = false
      delayMs = 0
      commitsToCut = 0
    },
    stop: async () => {
      for (const link of links) end(link)
      listener.close()
      await once(listener, "close")
    },
  }
}
