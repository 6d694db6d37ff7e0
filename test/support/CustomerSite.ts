/** A customer's page on its own server, with a content security policy that allows only what the widget needs. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export const customer = async (parley: string) => {
  const policy = `default-src 'none'; script-src ${parley}; connect-src ${parley} ${parley.replace("http", "ws")}; style-src 'none'`
  let script = ""
  const server = createServer((_, response) => {
    const html = `<!doctype html><html lang="en"><title>Customer</title><main><h1>Customer</h1></main>${script}</html>`
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end(html)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Puts the widget on the page. The key has to list the page's origin, so the page exists before the key. */
    carries: (key: string) => {
      script = `<script src="${parley}/widget.js" data-key="${key}" async></script>`
    },
    stop: () => void server.close(),
  }
}
