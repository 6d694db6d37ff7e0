/** Parley's Node server without the app: a test answers its requests. */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { server } from "../../src/http/edge/Unparsed.ts"

/** Runs `body` with the address of a server whose requests `answer` answers. */
export const serving = async (
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  body: (url: string) => Promise<void>,
  options?: Parameters<typeof server>[1],
): Promise<void> => {
  const listening = server(() => false, options)
    .on("request", (request, response) => answer(response, request))
    .on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      response.writeContinue()
      request.resume()
      answer(response, request)
    })
  listening.listen(0, "127.0.0.1")
  await once(listening, "listening")
  try {
    await body(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`)
  } finally {
    listening.closeAllConnections()
    listening.close()
  }
}
