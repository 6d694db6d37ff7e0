/**
 * The socket of a page, from its first message to its close: carries what a talk sends and takes, and reports its end.
 */
import { Effect } from "effect"
import { Socket } from "effect/socket"
import * as Intake from "./Intake.ts"
import * as Outbox from "./Outbox.ts"
import type { SocketEnd } from "./SocketEnd.ts"

/** How a talk sends messages and sound. */
export type Outgoing = Pick<Effect.Success<ReturnType<typeof Outbox.make>>, "loudspeaker" | "say">

type Talk<R> = (next: Intake.Intake, outgoing: Outgoing) => Effect.Effect<never, SocketEnd, R>

/** Talks until the end, which is the talk's failure or the socket's, and closes the socket. */
export const serve = Effect.fnUntraced(function* <R>(socket: Socket.Socket, talk: Talk<R>) {
  const next = yield* Intake.make(yield* socket.reader)
  const writer = yield* socket.writer
  const { loudspeaker, say, sendAll } = yield* Outbox.make(writer)
  const end = yield* Effect.raceFirst(talk(next, { loudspeaker, say }), sendAll).pipe(Effect.scoped, Effect.flip)
  if (end.message !== undefined) yield* Effect.ignore(writer.write(JSON.stringify(end.message)))
  yield* Effect.ignore(writer.write(new Socket.CloseEvent(end.code)))
}, Effect.scoped)
