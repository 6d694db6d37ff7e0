/** The router over a WebSocket, which is one caller's for as long as it is open; live views and calls share it. */
import { getWSConnectionHandler } from "@trpc/server/adapters/ws"
import type { IncomingMessage } from "node:http"
import { type WebSocket, WebSocketServer } from "ws"
import type { Said } from "./Answer.ts"
import type { Caller } from "./Caller.ts"
import { appRouter } from "./Router.ts"

/** A message may be as long as a body. */
const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 })

/** Who is silent for so long, and does not answer a ping then, is gone. */
const keepAlive = { enabled: true, pingMs: 15_000, pongWaitMs: 5_000 }

/** Accepts the upgrade. A browser cannot send headers here: who it is it says in its first message. */
export const open = (
  request: IncomingMessage,
  callerOf: (said: Said | null) => Caller,
  opened: (socket: WebSocket) => void,
): void => {
  // Nobody sends before the answer to the handshake (RFC 6455 §4.1), so nothing was read beyond it.
  sockets.handleUpgrade(request, request.socket, Buffer.alloc(0), (socket) => {
    // Before anything else can fail: an error without a listener ends the process. A close follows each.
    socket.on("error", () => {})
    getWSConnectionHandler({
      wss: sockets,
      router: appRouter,
      createContext: async ({ info }) => callerOf(info.connectionParams),
      keepAlive,
    })(socket, request)
    opened(socket)
  })
}
