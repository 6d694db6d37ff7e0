/** Raw bytes that no HTTP client would send, on their own socket, and the server's response. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export const openSocket = async (url: string, options: { readonly allowHalfOpen?: boolean } = {}): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...options })
  // A reset by the server is a valid outcome.
  socket.on("error", () => {})
  await once(socket, "connect")
  return socket
}

/** Writes the pieces one by one, and collects the response until the server closes or `isEnough`. */
export const sendRaw = async (
  url: string,
  pieces: ReadonlyArray<string | Uint8Array>,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> => {
  const socket = await openSocket(url)
  socket.setNoDelay(true)
  let text = ""
  const over = new Promise<void>((resolve) => {
    socket.on("close", () => resolve())
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1")
      if (isEnough(text)) resolve()
    })
  })
  for (const piece of pieces) socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece)
  await over
  socket.destroy()
  return text
}

/** A request that asks the server to close the connection after its response. */
export const requestOf = (target: string, headers: ReadonlyArray<string> = ["Host: localhost"], method = "GET") =>
  [`${method} ${target} HTTP/1.1`, "Connection: close", ...headers, "", ""].join("\r\n")

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

/** Headers of a handshake that a WebSocket server accepts. */
export const handshake = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
]
