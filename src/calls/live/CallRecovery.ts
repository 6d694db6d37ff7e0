/** Calls that nobody conducts any more: of processes that are gone, and those that a process lost on the way. */
import { Clock, Effect, Schedule } from "effect"
import type { Node } from "../../cluster/Node.ts"
import { isMachineGreeting } from "../../conversation/AnsweringMachine.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId, Outcome } from "../../domain/Call.ts"
import type { AccountDirectory, AccountEntry } from "../../tenancy/AccountDirectory.ts"
import * as CallLog from "../ledger/CallLog.ts"
import * as Ownership from "./Ownership.ts"

/** A process that is gone is found soon: its calls keep slots from those who dial on. */
const every = "1 second"
/** How often the accounts that this process calls for are looked at for what it lost itself, and a failed sweep begun anew. */
const againAfterMs = 10_000
/** Each opens a database. */
const accountsAtOnce = 4
/** One account's trouble must not keep the others from theirs. */
const recoverLimit = "30 seconds"

/** An account that this process no longer calls for is looked at for so long: what it lost shows by then. */
const usedForMs = 120_000

/** From a call's row to its conductor is a moment; one of our own that has none after this was lost on the way. */
const handedOverAfterSeconds = 30

/**
 * Live calls without a conductor, which are this node's from now on. The calls are read before the nodes: a node is there
 * before its first call.
 */
export const lost = Effect.fn("CallRecovery.lost")(function* (
  node: Node["Service"],
  isConducted: (id: CallId) => boolean,
) {
  const nobodysHere = (yield* Effect.orDie(CallLog.nodesOfLive())).filter(({ id }) => !isConducted(id))
  const others = new Set(nobodysHere.map(({ node_id }) => node_id))
  others.delete(node.id)
  const gone = others.size === 0 ? others : yield* node.gone([...others])
  const ids = nobodysHere.flatMap(({ id, node_id }) => (node_id === node.id || gone.has(node_id) ? [id] : []))
  const rows = yield* Effect.orDie(CallLog.live(ids))
  // Meanwhile some were ended, taken over or handed over.
  const left = rows.filter(({ age_seconds, id, node_id }) =>
    node_id === node.id
      ? age_seconds > handedOverAfterSeconds && !isConducted(id)
      : gone.has(node_id) && !isConducted(id),
  )
  const taken = yield* Ownership.takeOver(node.id, left)
  return left.filter(({ id }) => taken.has(id))
})

/**
 * What the row of a lost call proves, when no carrier can tell more. An answered phone call without a word of the other
 * side is `unknown`: a machine may have answered it. A visitor of a page is a person.
 */
export const outcomeOfLost = ({
  answered_at,
  direction,
  first_words,
}: Pick<CallLog.LiveCallRow, "answered_at" | "direction" | "first_words">): Outcome => {
  if (answered_at === null) return "unknown"
  if (direction === "web") return "answered"
  if (first_words === null) return "unknown"
  return isMachineGreeting(first_words) ? "voicemail" : "answered"
}

interface Sweeper {
  readonly node: Node["Service"]
  readonly directory: AccountDirectory["Service"]
  /** When this process last called for an account, in milliseconds. */
  readonly inUse: Map<AccountSlug, number>
  readonly recover: (entry: AccountEntry) => Effect.Effect<number>
}

/** Every account when a node has gone, else those that this process calls for. */
export const sweep = ({ directory, inUse, node, recover }: Sweeper) => {
  let sweptAt = Number.NEGATIVE_INFINITY
  let tried: ReadonlySet<string> = new Set()
  return Effect.gen(function* () {
    const departed = yield* node.departed
    const now = yield* Clock.currentTimeMillis
    if (departed.every((id) => tried.has(id)) && now - sweptAt < againAfterMs) return
    sweptAt = now
    tried = new Set(departed)
    const all = yield* departed.length > 0 ? directory.all : Effect.succeed([])
    for (const [slug, at] of inUse) if (now - at > usedForMs) inUse.delete(slug)
    const used = yield* Effect.forEach(inUse.keys(), (slug) => Effect.option(directory.find(slug)))
    const entries = departed.length > 0 ? all : used.flatMap((entry) => (entry._tag === "Some" ? [entry.value] : []))
    let failed = 0
    yield* Effect.forEach(
      entries,
      (entry) =>
        recover(entry).pipe(
          Effect.timeout(recoverLimit),
          Effect.tap((calls) =>
            calls === 0
              ? Effect.void
              : Effect.annotateLogs(Effect.logInfo("settled calls that nobody conducted"), {
                  account: entry.account.slug,
                  calls,
                }),
          ),
          Effect.catchCause((cause) => {
            failed++
            return Effect.annotateLogs(Effect.logWarning("calls of an account could not be swept", cause), {
              account: entry.account.slug,
            })
          }),
        ),
      { concurrency: accountsAtOnce, discard: true },
    )
    if (failed === 0 && departed.length > 0) yield* node.forget(departed)
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("sweeping calls failed; trying again", cause)),
    Effect.repeat(Schedule.spaced(every)),
  )
}
