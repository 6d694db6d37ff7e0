/** The balancer in front of the processes: one address for clients and the carrier, whichever processes are up. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Front {
  readonly url: string
  /** Breaks all connections, so that the next requests go to the processes that are up now. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

export const start = async (urls: () => ReadonlyArray<string>): Promise<Front> => {
  let turn = 0
  const open = new Set<Socket>()
  const listener = createServer((client) => {
    const backends = urls()
    const url = backends[turn++ % Math.max(1, backends.length)]
    if (url === undefined) return client.destroy()
    const server = connect(Number(new URL(url).port), "127.0.0.1")
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.pipe(server)
    server.pipe(client)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const address = listener.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    cut,
    stop: async () => {
      cut()
      listener.close()
      await once(listener, "close")
    },
  }
}
