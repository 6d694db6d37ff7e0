/** A company's server on this machine, and http tools that call it as an agent does during a call. */
import { ConfigProvider, Effect, Layer, type Schema } from "effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { ToolAddressGuard, type Resolve } from "../../src/tools/ToolAddressGuard.ts"
import * as Invocation from "../../src/tools/Invocation.ts"
import * as OwnTools from "../../src/tools/OwnTools.ts"
import { Sandbox } from "../../src/tools/sandbox/Sandbox.ts"
import { kit, outsideCalls, tool } from "./Kit.ts"
import { tenantWithoutDatabase } from "./TenantWithoutDatabase.ts"

/**
 * Milliseconds, longer than a machine stalls. Closing a connection while a request is sent over it would fail the test.
 */
const keepAliveTimeout = 120_000

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a company's server on this machine. It keeps the requests it gets. */
export const company = (answer: (response: ServerResponse, request: Received) => void, host = "127.0.0.1", port = 0) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const server = createServer({ keepAliveTimeout }, async (request, response) => {
        const { headers, method = "", url = "" } = request
        const asked = { method, url, headers, body: await text(request) }
        received.push(asked)
        answer(response, asked)
      })
      server.listen(port, host)
      await once(server, "listening")
      const at = (server.address() as AddressInfo).port
      return { server, received, port: at, url: `http://${host}:${at}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )

export const answering =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)
export const json = { "content-type": "application/json" }

const env = { PARLEY_ENV: "development", PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }
const runnerWith = (guard: typeof ToolAddressGuard.layer) =>
  OwnTools.layer.pipe(
    Layer.provide(Layer.merge(guard, Sandbox.layerAbsent)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
  )

const whole = { method: "POST", headers: {}, timeout_ms: 5_000, authentication: { type: "none" } }

/** Invokes an http tool as an agent does during a call, and returns the record of the invocation. */
export const invoke = (config: Schema.JsonObject, args: Schema.JsonObject = {}, guard = ToolAddressGuard.layer) => {
  const mine = tool("mine", {
    is_default: false,
    implementation_type: "http",
    implementation_config: { ...whole, ...config },
    schema: { type: "object" },
  })
  return Invocation.invoke(kit({}, { tools: [mine] }), "mine", args, outsideCalls).pipe(
    Effect.provide([runnerWith(guard), tenantWithoutDatabase()]),
  )
}

export const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`

/** A guard for which every name resolves to these addresses, except `unknown`, which has none. */
export const guardOf = (addresses: ReadonlyArray<string>, unknown?: string) => {
  const resolve: Resolve = (hostname) => Effect.succeed(hostname === unknown ? [] : addresses)
  return ToolAddressGuard.layerWith(resolve)
}
