/**
 * Looks for lost calls: in every account after a process has died, otherwise in the accounts in which this process has
 * calls, because it may have lost some of them itself.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import { Node } from "../../cluster/Node.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CallRecovery } from "./CallRecovery.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** A dead process is found soon: its calls hold slots that others could dial with. */
const lookEvery = "1 second"
/** How often this process's own accounts are swept, and a sweep that failed is repeated. */
const sweepEveryMs = 10_000
/** Each opens a database. */
const accountsAtOnce = 4
/** The sweep of one account has a limit, so that it does not delay the others. */
const accountLimit = "30 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    const inAccount = yield* InAccount
    const live = yield* LiveCalls
    const node = yield* Node
    const { recover } = yield* CallRecovery
    let sweptAt = Number.NEGATIVE_INFINITY
    let tried: ReadonlySet<string> = new Set()

    const recentEntries = Effect.flatMap(live.recentAccounts, (slugs) =>
      Effect.map(
        Effect.forEach(slugs, (slug) => Effect.option(directory.find(slug))),
        (entries) => entries.flatMap((entry) => (entry._tag === "Some" ? [entry.value] : [])),
      ),
    )

    /** Whether it succeeded. */
    const sweepAccount = (entry: AccountEntry) => {
      const { slug: account } = entry.account
      return inAccount(entry)(recover).pipe(
        Effect.timeout(accountLimit),
        Effect.tap((calls) =>
          calls === 0
            ? Effect.void
            : Effect.annotateLogs(Effect.logInfo("settled calls that no process conducted"), { account, calls }),
        ),
        Effect.as(true),
        Effect.catchCause((cause) =>
          Effect.as(Effect.annotateLogs(Effect.logWarning("call recovery sweep failed", cause), { account }), false),
        ),
      )
    }

    const look = Effect.gen(function* () {
      const departed = yield* node.takeDeparted
      const now = yield* Clock.currentTimeMillis
      if (departed.every((id) => tried.has(id)) && now - sweptAt < sweepEveryMs) return
      sweptAt = now
      tried = new Set(departed)
      const entries = yield* departed.length > 0 ? directory.all : recentEntries
      const succeeded = yield* Effect.forEach(entries, sweepAccount, { concurrency: accountsAtOnce })
      if (departed.length > 0 && succeeded.every((did) => did)) yield* node.forget(departed)
    })

    yield* look.pipe(
      Effect.catchCause((cause) => Effect.logWarning("call recovery failed; retrying", cause)),
      Effect.repeat(Schedule.spaced(lookEvery)),
      Effect.forkScoped,
    )
  }),
)
