/**
 * Writes the words of conversations in writing at once, each finished line when it is said, and shows the page a line
 * when the database has it. So the page never knows more than the next process would, and a conversation can go on in
 * another process at any moment. Other calls, whose lines die with their process, are written once a second (`LiveWords`).
 */
import { Deferred, Effect, Schedule, type Scope } from "effect"
import { Node } from "../../cluster/Node.ts"
import { bounded } from "../../conversation/Bounded.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import type { Written } from "./Arrival.ts"
import { InAccount } from "./InAccount.ts"
import * as LiveCall from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** A page waits for its lines while the database cannot be reached; the beginning of the reply is shown anyway. */
const again = Schedule.spaced("500 millis")
/** A statement that hangs is cancelled and repeated. */
const statementLimit = "10 seconds"
/** The time for the last statement about a conversation that this process no longer conducts. */
const finishesWithin = "2 seconds"

export interface Words {
  /** From now on writes what is new, until the scope closes. */
  readonly follow: Effect.Effect<void, never, Scope.Scope>
  /**
   * Leaves the conversation to the process that goes on with it: writes what is still new, if that is possible, and then
   * lets the page go.
   */
  readonly release: Effect.Effect<void>
}

/** Returns the function that prepares the writing of one conversation. */
export const make = Effect.gen(function* () {
  const inAccount = yield* InAccount
  const live = yield* LiveCalls
  const node = yield* Node

  /** If the rows cannot be read, the page learns the truth where it connects next. */
  const whyLost = ({ id, tenant }: LiveCall.LiveCall) =>
    inAccount(tenant)(ChatRows.isLive(id)).pipe(
      Effect.timeout(finishesWithin),
      Effect.map((isLive) => (isLive ? ("taken" as const) : ("ended" as const))),
      Effect.catchCause(() => Effect.succeed("moved" as const)),
    )

  return (entry: LiveCall.LiveCall, record: CallRecord, { chat, released }: Written): Words => {
    let wake = Deferred.makeUnsafe<void>()
    record.changed = () => {
      chat.read(record.transcript)
      Deferred.doneUnsafe(wake, Effect.void)
    }

    /** Writes what is new. Returns when the rows have it, or when another process has the call. */
    const write = Effect.suspend(() => {
      if (!record.hasNews) return Effect.void
      const { news } = record
      const lines = chat.lines.length
      return inAccount(entry.tenant)(ChatRows.add(node.id, entry.id, news, chat.ids)).pipe(
        Effect.timeout(statementLimit),
        Effect.map((result) => {
          if (result === "lost") return LiveCall.lose(entry)
          record.keep(news.to)
          chat.stored(lines)
        }),
      )
    })
    const writeUntilDone = write.pipe(
      Effect.sandbox,
      Effect.tapError((cause) => Effect.logWarning("words of a chat could not be written; retrying", cause)),
      Effect.retry(again),
      Effect.orDie,
    )

    return {
      follow: Effect.gen(function* () {
        while (true) {
          yield* Deferred.await(wake)
          wake = Deferred.makeUnsafe<void>()
          yield* writeUntilDone
        }
      }).pipe(Effect.forkScoped, Effect.asVoid),
      release: Effect.gen(function* () {
        if (!entry.lost) yield* bounded(finishesWithin, "writing the last words of a chat")(writeUntilDone)
        const why = entry.lost ? yield* whyLost(entry) : "moved"
        yield* live.release(entry.id)
        released(why)
      }),
    }
  }
})
