/** The limit of the http benchmark: node:http and `pg` with nothing between them, for these two paths only. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Work from "./Work.ts"

const server = createServer((request, response) => {
  const send = (body: object, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(body)
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...headers,
    })
    response.end(text)
  }
  const [path = "", search] = (request.url ?? "").split("?", 2)
  const answer = path.startsWith("/api/faqs/")
    ? Work.read(request.headers, path.slice("/api/faqs/".length)).then(({ etag, faq }) => send(faq, { etag }))
    : Work.list(request.headers, 0, Number(new URLSearchParams(search).get("page_size") ?? 50)).then((page) =>
        send(page),
      )
  answer.catch((error: unknown) => {
    response.writeHead(error instanceof Work.Refused ? error.status : 500).end()
  })
})

server.listen(0, "127.0.0.1", () => {
  console.log(`node:http is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
