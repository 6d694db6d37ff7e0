/**
 * Serves the router over a WebSocket. A socket belongs to one caller while it is open; live views and calls share it.
 * Its load on the process is bounded: while it has enough calls in progress, or the client has not read its answers, no
 * further message is read, and TCP holds back the sender. tRPC's own adapter has no such bounds.
 */
import { Effect, Fiber, FiberSet, Option, Queue, type Scope, Semaphore, Stream } from "effect"
import type { IncomingMessage } from "node:http"
import { type RawData, type WebSocket, WebSocketServer } from "ws"
import type { Invalid } from "../domain/Refusals.ts"
import type { Said } from "./Answer.ts"
import * as BoundedSocket from "./BoundedSocket.ts"
import type { Caller, Rooms } from "./Caller.ts"
import { mostOfMembers, mostOfStrangers } from "./PlainCalls.ts"
import type { Meta } from "./Procedure.ts"
import type { Sent } from "./Run.ts"
import { appRouter } from "./Router.ts"
import * as Offload from "../offload/Offload.ts"
import { outlining } from "./MessageOutline.ts"
import * as Message from "./SocketMessage.ts"

/** The most calls in progress. Opening a page makes about ten at once. */
const mostCalls = 16
/** The most subscriptions. A page needs one for each view that it shows: a handful. */
const mostSubscriptions = 64
/** The most bytes of answers that the client has not read yet. */
const mostUnread = 1024 * 1024
/** The number of malformed messages after which the socket is closed. */
const mostMalformed = 10
/** How long a client may take to send the credentials that its URL announces. */
const announcedWithin = "10 seconds"
/** A client that is silent for this long, and then does not answer a ping, is gone. */
const silence = "15 seconds"
const pongWithin = "5 seconds"

/** RFC 6455 §7.4.1. */
const closing = { done: 1000, policy: 1008, tooBig: 1009, overloaded: 1013 } as const

/** The status and reason with which a socket is closed. */
export class SocketClose {
  readonly code: number
  readonly reason: string
  constructor(code: number, reason: string) {
    this.code = code
    this.reason = reason
  }
}

const sockets = new WebSocketServer({
  ...BoundedSocket.options,
  WebSocket: BoundedSocket.BoundedSocket,
  noServer: true,
  maxPayload: mostOfMembers,
})

/**
 * Accepts the upgrade. Returns undefined if the request was not a handshake; it has then been answered. Nothing is
 * read before `converse`.
 */
export const open = (request: IncomingMessage): Effect.Effect<WebSocket | undefined> =>
  Effect.callback((resume) => {
    request.socket.once("close", () => resume(Effect.succeed(undefined)))
    // A client sends nothing before the answer to its handshake (RFC 6455 §4.1), so no frame was read with the head.
    sockets.handleUpgrade(request, request.socket, Buffer.alloc(0), (socket) => {
      // The listener comes first: an error without one ends the process. A close follows each error.
      socket.on("error", () => {})
      socket.pause()
      resume(Effect.succeed(socket))
    })
  })

export interface Introduction {
  readonly callerOf: (said: Said | null) => Caller
  /** Whether the first message contains the credentials: a browser cannot send headers here. */
  readonly isAnnounced: boolean
  /** Admits the client, or fails with the reason for closing its socket. `isProved`: its token is valid. */
  readonly admit: (said: Said | null, isProved: boolean) => Effect.Effect<void, SocketClose, Scope.Scope>
  /** The fault of a message whose input is at this depth. */
  readonly faultIn: (text: string, depthOfInput: number) => Invalid | undefined
}

/** Answers messages until the client leaves or the socket has to be closed. Returns the status to close it with. */
export const converse = (socket: WebSocket, introduction: Introduction): Effect.Effect<SocketClose, never, Rooms> =>
  Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<string | undefined>()
    let signs = 0
    socket.on("message", (data: RawData, isBinary: boolean) => {
      signs++
      socket.pause()
      Queue.offerUnsafe(inbox, isBinary ? undefined : String(data))
    })
    const left = Effect.callback<SocketClose>((resume) => {
      const gone = () => resume(Effect.succeed(new SocketClose(closing.done, "")))
      if (socket.readyState === socket.CLOSED) gone()
      else socket.once("close", gone)
    })
    const next = Effect.suspend(() => {
      if (Queue.sizeUnsafe(inbox) === 0) socket.resume()
      return Queue.take(inbox)
    })
    const writer = makeSocketWriter(socket, () => void signs++)
    return yield* Effect.raceAllFirst([
      left,
      Effect.flip(listen(next, writer, introduction)),
      Effect.flip(awaitSilence(writer, () => signs)),
    ])
  }).pipe(Effect.scoped)

type SocketWriter = ReturnType<typeof makeSocketWriter>

const makeSocketWriter = (socket: WebSocket, progress: () => void) => {
  let waiting: Array<() => void> = []
  const isFull = () => socket.bufferedAmount > mostUnread
  const flush = () => {
    if (waiting.length === 0 || isFull()) return
    // A client that reads, however slowly, is alive.
    progress()
    const those = waiting
    waiting = []
    for (const resume of those) resume()
  }
  return {
    isFull,
    /** Sends a text, which may be given as its bytes. */
    send: (text: string | Uint8Array): void => {
      if (socket.readyState === socket.OPEN) socket.send(text, { binary: false }, flush)
    },
    /** Waits until the client has read enough of what was sent. */
    room: Effect.callback<void>((resume) => {
      if (isFull()) waiting.push(() => resume(Effect.void))
      else resume(Effect.void)
    }),
  }
}

/** Fails when the client gives no sign of life. */
const awaitSilence = Effect.fnUntraced(function* ({ isFull, send }: SocketWriter, signs: () => number) {
  while (true) {
    const before = signs()
    yield* Effect.sleep(silence)
    if (signs() !== before) continue
    send("PING")
    yield* Effect.sleep(pongWithin)
    if (signs() !== before) continue
    return yield* Effect.fail(
      isFull()
        ? new SocketClose(closing.overloaded, "The answers are not being read")
        : new SocketClose(closing.policy, "A ping was not answered"),
    )
  }
})

const refuse = (reason: string, code: number = closing.policy) => Effect.fail(new SocketClose(code, reason))

const listen = Effect.fnUntraced(function* (
  next: Effect.Effect<string | undefined>,
  writer: SocketWriter,
  { admit, callerOf, faultIn, isAnnounced }: Introduction,
): Effect.fn.Return<never, SocketClose, Rooms | Scope.Scope> {
  const said = isAnnounced ? yield* announcement(next) : null
  const caller = callerOf(said)
  const isProved = (yield* Effect.exit(caller.prove))._tag === "Success"
  yield* admit(said, isProved)
  const answer = yield* makeAnswers(writer, caller)
  const mayKeepAlive = BoundedSocket.makeKeepAlives()
  let malformed = 0
  while (true) {
    const text = yield* next
    if (text === "PING" || text === "PONG") {
      // No answer waits for the client to read it, so a flood of these would fill the memory.
      if (!mayKeepAlive()) return yield* refuse("Too many keep-alives")
      if (text === "PING") writer.send("PONG")
      continue
    }
    if (text !== undefined && !isProved && text.length > mostOfStrangers) {
      return yield* refuse("Without a valid token a message has 16 KiB at most", closing.tooBig)
    }
    const fault = text === undefined ? undefined : faultIn(text, text.trimStart().startsWith("[") ? 3 : 2)
    const asked = text === undefined ? undefined : yield* read(text, fault !== undefined)
    if (text === undefined || asked === undefined) {
      const detail = "A message is JSON text of tRPC's protocol."
      writer.send(Message.refusal(null, Message.malformedProblem(detail, caller.request_id)))
      if (++malformed > mostMalformed) return yield* refuse("Too many malformed messages")
      continue
    }
    for (const one of asked) yield* answer(one, fault)
  }
})

/** Waits for the first message, with the client's credentials. */
const announcement = Effect.fnUntraced(function* (next: Effect.Effect<string | undefined>) {
  const first = yield* Effect.timeoutOption(next, announcedWithin)
  if (Option.isNone(first)) return yield* refuse("The message connectionParams did not come within 10 seconds")
  const text = first.value ?? ""
  if (text.length > mostOfStrangers) return yield* refuse("connectionParams have 16 KiB at most", closing.tooBig)
  const said = Message.readParameters(parse(text))
  return said ?? (yield* refuse("The first message has to be connectionParams, as the address announces"))
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A refused message with more characters is read in a worker, because it may have any number of values. */
const longestReadHere = 64 * 1024

const read = (text: string, isRefused: boolean) =>
  isRefused && text.length > longestReadHere
    ? Offload.inWorker(outlining, text).pipe(
        Effect.map(Message.read),
        Effect.orElseSucceed(() => undefined),
      )
    : Effect.sync(() => Message.read(parse(text)))

const procedures: ReadonlyMap<string, { readonly meta: Meta; readonly type: string }> = new Map(
  Object.entries<unknown>(appRouter._def.procedures).map(([path, procedure]) => [
    path,
    (procedure as { readonly _def: { readonly meta: Meta; readonly type: string } })._def,
  ]),
)

/** Begins each requested call as soon as there is room for it. */
const makeAnswers = Effect.fnUntraced(function* ({ room, send }: SocketWriter, caller: Caller) {
  const { request_id } = caller
  const fork = yield* FiberSet.makeRuntime<Rooms>()
  const places = yield* Semaphore.make(mostCalls)
  const subscriptions = new Map<string | number, Fiber.Fiber<void>>()

  const runCall = (run: NonNullable<Meta["run"]>, sent: Sent, { id, path }: Message.Asked) =>
    Effect.matchEffect(run(sent, caller, path), {
      onSuccess: (data) => Effect.map(Message.answer(id, data), send),
      onFailure: (problem) => Effect.sync(() => send(Message.refusal(id, problem, path))),
    })

  const runSubscription = (follow: NonNullable<Meta["follow"]>, sent: Sent, { id, path }: Message.Asked) =>
    follow(sent, caller, path).pipe(
      Effect.flatMap((items) => {
        send(Message.state(id, "started"))
        return Stream.runForEach(items, ([key, data]) =>
          Effect.andThen(Effect.map(Message.item(id, key, data), send), room),
        )
      }),
      Effect.map(() => send(Message.state(id, "stopped"))),
      Effect.catch((problem) => Effect.sync(() => send(Message.refusal(id, problem, path)))),
      Effect.ensuring(Effect.sync(() => subscriptions.delete(id))),
    )

  return Effect.fnUntraced(function* (asked: Message.Asked, fault: Invalid | undefined) {
    const { id, method, path } = asked
    if (method === "subscription.stop") {
      const fiber = subscriptions.get(id)
      if (fiber === undefined) return
      yield* Fiber.interrupt(fiber)
      return send(Message.state(id, "stopped"))
    }
    yield* room
    const procedure = procedures.get(path)
    const sent: Sent = fault === undefined ? Effect.succeed(asked.input) : Effect.fail(fault)
    const { follow, run } = procedure?.type === method ? procedure.meta : {}
    if (run !== undefined) {
      yield* places.take(1)
      fork(Effect.ensuring(runCall(run, sent, asked), places.release(1)))
    } else if (follow === undefined) {
      send(Message.refusal(id, Message.noProcedure(asked, request_id), path))
    } else if (subscriptions.has(id)) {
      send(Message.refusal(id, Message.malformedProblem("A subscription with this id is open.", request_id), path))
    } else if (subscriptions.size >= mostSubscriptions) {
      send(Message.refusal(id, Message.tooManySubscriptions(mostSubscriptions, request_id), path))
    } else {
      const fiber = fork(runSubscription(follow, sent, asked))
      if (fiber.pollUnsafe() === undefined) subscriptions.set(id, fiber)
    }
  })
})
