/** Sockets to a carrier's route, with a signature that the test chooses. */
import { createHmac } from "node:crypto"
import { WebSocket } from "ws"

/** The signature of a handshake, computed over the `ws` form of the server's URL. */
export const signed =
  (token: string) =>
  (url: string, path: string): string =>
    createHmac("sha1", token)
      .update(`${url.replace(/^http/, "ws")}${path}`)
      .digest("base64")

/** The open socket, or the HTTP status of a refusal. */
export const socketTo = (url: string, path: string, signature: string): Promise<WebSocket | number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url.replace(/^http/, "ws") + path, { headers: { "x-twilio-signature": signature } })
    socket.on("error", () => {})
    socket.once("open", () => resolve(socket))
    socket.once("unexpected-response", (_, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
  })
