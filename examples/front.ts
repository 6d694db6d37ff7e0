/** One address in front of several servers: a small balancer. It leads each connection to the next one that is ready. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Front {
  readonly url: string
  /** The server that got the latest web socket. */
  readonly socketAt: () => string | undefined
  readonly close: () => void
}

const askEveryMs = 250
/** How a server answers when a connection becomes a web socket. */
const switching = Buffer.from("HTTP/1.1 101")

/** `urls` are those of all servers, of which some may be gone. */
export const openFront = async (urls: ReadonlyArray<string>): Promise<Front> => {
  let ready = urls
  let turn = 0
  let socketAt: string | undefined
  const ask = async () => {
    const isReady = await Promise.all(urls.map((url) => answers(`${url}/readyz`)))
    ready = urls.filter((_, at) => isReady[at])
  }
  const asking = setInterval(() => void ask(), askEveryMs)

  /** Leads the connection to a server, and to the next one if this one refuses it. */
  const lead = (client: Socket, first: Buffer, left: number): void => {
    const url = ready[turn++ % ready.length]
    if (url === undefined || left === 0) return void client.destroy()
    const { hostname, port } = new URL(url)
    const server = connect(Number(port), hostname)
    server.once("error", () => (client.bytesWritten > 0 ? client.destroy() : lead(client, first, left - 1)))
    server.once("connect", () => {
      server.removeAllListeners("error").on("error", () => client.destroy())
      client.once("close", () => server.destroy())
      server.once("close", () => client.destroy())
      // A client may turn any of its connections into a web socket, not only a new one.
      server.on("data", (data) => {
        if (data.subarray(0, switching.length).equals(switching)) socketAt = url
      })
      server.write(first)
      client.pipe(server).pipe(client)
    })
  }

  const front = createServer((client) => {
    client.on("error", () => client.destroy())
    client.once("data", (first) => {
      client.pause()
      lead(client, first, urls.length)
    })
  })
  front.listen(0, "127.0.0.1")
  await once(front, "listening")
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    socketAt: () => socketAt,
    close: () => {
      clearInterval(asking)
      front.close()
    },
  }
}

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
