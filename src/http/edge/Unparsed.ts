/** Requests that Node's parser rejects never reach the app; they get a problem too (decisions §2, Errors). */
import { ProblemDetails } from "effect/http"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { OneAtATime } from "./OneAtATime.ts"
import { typeOf } from "./Problem.ts"
import { read, toOriginForm } from "./RequestTarget.ts"

const lateRequest = { status: 408, code: "request_timeout", detail: "The request did not arrive in time." }
const faults: Record<string, typeof lateRequest> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: "headers_too_large", detail: "The headers may have at most 16 KiB." },
  ERR_HTTP_REQUEST_TIMEOUT: lateRequest,
}
const malformed = { status: 400, code: "invalid_request", detail: "The request is not well-formed HTTP." }

/**
 * How long a silent connection is kept, in milliseconds: longer than a load balancer keeps its own (60 s is usual),
 * since a request that is sent as the connection closes is lost. Node's default is 5 s.
 */
const keepAliveTimeout = 75_000

/** For a whole request, in milliseconds: an upload of 10 MiB over a line of 300 kbit/s. JSON has less (Body.ts). */
const requestTimeout = 300_000
/** How long a client may take for the request line and the headers. */
const headersTimeout = 20_000
/** How often Node looks for requests that are late. */
const connectionsCheckingInterval = 5_000
/**
 * How long the rest of a body that was refused unread may take, because a client reads the answer after it has sent
 * all.
 */
const restTimeout = 20_000

/**
 * How long a connection may stand still, in milliseconds, while the client is to send the rest of its request or to
 * read its answer. Event streams send something every 15 s.
 */
const stalledTimeout = 60_000

/** How long a client may take to close its side of an upgraded connection after ours was closed, in milliseconds. */
const lingering = 5_000

interface Options {
  readonly onConnection?: () => void
  /** Called for each request that is refused here, with the id in its problem. */
  readonly onRefused?: (socket: Duplex, status: number, request_id: string) => void
  /** Milliseconds. */
  readonly stalledAfter?: number
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What is being answered on a connection: the last of the requests that came over it. */
const exchanges = new WeakMap<Duplex, Exchange>()

/**
 * A Node server that answers a request that its parser rejects, before it closes the connection. The edge answers a
 * request without Host. Its listeners run before the app's, so the app sees every target in one form. `takesSockets`
 * names the paths that take WebSockets; a request to upgrade any other path is ignored (RFC 9110 §7.8).
 */
export const server = (
  takesSockets: (path: string) => boolean,
  { onConnection = () => {}, onRefused = () => {}, stalledAfter = stalledTimeout }: Options = {},
): Server => {
  const refuse = makeRefuse(onRefused)
  return (
    new OneAtATime({
      requireHostHeader: false,
      keepAliveTimeout,
      requestTimeout,
      headersTimeout,
      connectionsCheckingInterval,
      shouldUpgradeCallback: (request) =>
        request.method === "GET" &&
        request.headers.upgrade?.toLowerCase() === "websocket" &&
        takesSockets(read(toOriginForm(request)).path),
    })
      .on("connection", (socket: Socket) => {
        onConnection()
        // An error of a socket that has no listener ends the process, and Node takes its own listener away on an upgrade.
        socket.on("error", () => {})
        // The client reset the connection while it waited to be accepted.
        if (socket.remoteAddress === undefined) socket.destroy()
      })
      .on("request", follow)
      // Node emits this in place of `request` if the client announces its body, as curl does with long ones.
      .on("checkContinue", follow)
      .setTimeout(stalledAfter, endStalled(refuse))
      .on("upgrade", (request, socket) => {
        request.url = toOriginForm(request)
        socket.once("finish", () => (socket as Socket).setTimeout(lingering, () => socket.destroy()))
      })
      .on("clientError", (error: NodeJS.ErrnoException, socket) =>
        refuse(socket, faults[error.code ?? ""] ?? malformed, error.code),
      )
  )
}

/** Remembers what is being answered on the connection, and limits the time for what remains of the request after that. */
const follow = (request: IncomingMessage, response: ServerResponse): void => {
  request.url = toOriginForm(request)
  exchanges.set(request.socket, { request, response })
  response.once("close", () => {
    // A client may have sent its next request already.
    if (exchanges.get(request.socket)?.response === response) exchanges.delete(request.socket)
  })
  response.once("finish", () => {
    if (!request.complete) setTimeout(() => !request.complete && request.destroy(), restTimeout).unref()
  })
}

/**
 * Ends a connection that stands still, unless the app is at work on its answer. Also ends one that is kept open without
 * a request.
 */
const endStalled =
  (refuse: Refuse) =>
  (socket: Socket): void => {
    const exchange = exchanges.get(socket)
    if (exchange === undefined) return void socket.destroy()
    const { request, response } = exchange
    const isLate = !request.complete
    if (!isLate && socket.writableLength === 0) return
    if (!isLate || response.headersSent) return void socket.destroy()
    refuse(socket, lateRequest, undefined)
    setTimeout(() => socket.destroy(), lingering).unref()
  }

type Refuse = (socket: Duplex, fault: typeof malformed, cause: string | undefined) => void

const makeRefuse =
  (onRefused: NonNullable<Options["onRefused"]>): Refuse =>
  (socket, fault, cause) => {
    // The client has hung up, or an answer is on its way already.
    if (cause === "ECONNRESET" || !socket.writable) return void socket.destroy()
    const { code, detail, status } = fault
    const title = STATUS_CODES[status] ?? "Bad Request"
    const request_id = randomUUID()
    const body = JSON.stringify({ type: typeOf(code), title, status, code, detail, request_id })
    onRefused(socket, status, request_id)
    socket.end(
      [
        `HTTP/1.1 ${status} ${title}`,
        `content-type: ${ProblemDetails.contentType}`,
        `x-request-id: ${request_id}`,
        `content-length: ${Buffer.byteLength(body)}`,
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    )
  }
