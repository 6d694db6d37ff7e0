/**
 * A network between a client and a server that can be disturbed: it cuts connections, drops data, and inserts noise.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Wire {
  readonly url: string
  /** Breaks every connection. Returns their count. */
  readonly cut: () => number
  /** Drops what the server sends on the present connections, without closing them. */
  readonly hush: () => void
  /** Inserts bytes into what the server sends, on every connection. */
  readonly garble: (noise: string) => void
  readonly refuse: (refusing: boolean) => void
  /** Leads new connections to another server. */
  readonly lead: (target: string) => void
  readonly stop: () => Promise<void>
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
}

export const wireTo = async (target: string): Promise<Wire> => {
  let { hostname, port } = new URL(target)
  const links = new Set<Link>()
  let refusing = false
  const end = (link: Link) => {
    links.delete(link)
    link.client.destroy()
    link.server.destroy()
  }
  const listener = createServer({ noDelay: true }, (client) => {
    if (refusing) return void client.destroy()
    const link: Link = { client, server: connect({ host: hostname, port: Number(port) }), silent: false }
    links.add(link)
    for (const socket of [client, link.server]) {
      socket.on("error", () => end(link))
      socket.on("close", () => end(link))
    }
    client.on("data", (bytes) => void link.server.write(bytes))
    link.server.on("data", (bytes) => {
      if (!link.silent) client.write(bytes)
    })
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const address = listener.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    cut: () => {
      const open = [...links]
      open.forEach(end)
      return open.length
    },
    hush: () => {
      for (const link of links) link.silent = true
    },
    garble: (noise) => {
      for (const { client } of links) client.write(noise)
    },
    refuse: (now) => void (refusing = now),
    lead: (target) => void ({ hostname, port } = new URL(target)),
    stop: async () => {
      for (const link of links) end(link)
      listener.close()
      await once(listener, "close")
    },
  }
}
