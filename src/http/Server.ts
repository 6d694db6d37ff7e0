/** The listening socket: its address, the addresses that are refused, and the line that says it is ready. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Config, Console, Data, Effect, Layer, Predicate } from "effect"
import { HttpServer } from "effect/http"
import * as BoundedSocket from "../rpc/BoundedSocket.ts"
import { Environment } from "../tenancy/Environment.ts"
import { isLoopback } from "./edge/Loopback.ts"
import { AccessLog } from "./edge/AccessLog.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { Turns } from "./edge/Turns.ts"
import * as Unparsed from "./edge/Unparsed.ts"
import * as CarrierStreamsHttp from "./CarrierStreamsHttp.ts"
import * as Http from "./Http.ts"
import * as TakeoverSocketHttp from "./TakeoverSocketHttp.ts"
import * as TrpcSocketHttp from "./TrpcSocketHttp.ts"
import * as WidgetSocketHttp from "./WidgetSocketHttp.ts"

/** Development has a login that asks for no password, so it stays on this machine (decisions §6). */
export class HostRefused extends Data.TaggedError("HostRefused")<{ readonly host: string }> {
  override get message() {
    return `HOST is ${this.host}, which other machines can reach. In development Parley listens only on loopback. Set HOST=127.0.0.1 or PARLEY_ENV=production.`
  }
}

/** The address cannot be listened on. */
export class AddressUnusable extends Data.TaggedError("AddressUnusable")<{
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override get message() {
    const { cause, host, port } = this
    const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
    if (code === "EADDRINUSE") {
      return `Another program listens on ${host}:${port}. Stop it, or set PORT to another port.`
    }
    if (code === "EACCES") return `This user may not listen on port ${port}. Set PORT to a port above 1023.`
    if (code === "EADDRNOTAVAIL") return `HOST is ${host}, which is no address of this machine.`
    return `Parley cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

const socketPaths = [TakeoverSocketHttp.path, TrpcSocketHttp.path, WidgetSocketHttp.path]
const takesSockets = (path: string) => socketPaths.includes(path) || CarrierStreamsHttp.isPath(path)

const listen = Layer.unwrap(
  Effect.gen(function* () {
    const host = yield* Config.String("HOST").pipe(Config.withDefault("127.0.0.1"))
    // 0 means any free port, so `Config.Port` does not fit.
    const port = yield* Config.Int("PORT").pipe(Config.withDefault(3000))
    if ((yield* Environment) === "development" && !isLoopback(host)) return yield* new HostRefused({ host })
    const { refused } = yield* AccessLog
    const { noteConnection } = yield* Turns
    const listening = NodeHttpServer.layer(
      () => Unparsed.server(takesSockets, { onConnection: noteConnection, onRefused: refused }),
      {
        host,
        port,
        // 5,000 streams that reconnect at once must not find the queue full (Node's default is 511).
        backlog: 8192,
        gracefulShutdownTimeout: "5 seconds",
        // A larger frame closes its socket before it is read.
        websocket: { ...BoundedSocket.options, WebSocket: BoundedSocket.BoundedSocket, maxPayload: 64 * 1024 },
      },
    )
    return Layer.effectContext(
      Effect.catchTag(Layer.build(listening), "ServeError", ({ cause }) => new AddressUnusable({ host, port, cause })),
    )
  }),
)

const ready = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const sentence = `Parley is ready at ${HttpServer.formatAddress(address)}`
    yield* (yield* Environment) === "production" ? Effect.logInfo(sentence) : Console.log(sentence)
  }),
)

export const layer = ready.pipe(
  Layer.provideMerge(Http.layer),
  Layer.provideMerge(listen),
  Layer.provide([Turns.layer, AccessLog.layer.pipe(Layer.provide(ClientAddress.layer))]),
)
