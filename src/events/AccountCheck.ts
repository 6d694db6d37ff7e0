/**
 * Checks one account that has deliveries: runs a round, and records in the platform's database when a process should
 * check the account next.
 */
import { Clock, Effect, Option, Queue } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as AccountRound from "./AccountRound.ts"
import { type TendedAccount, restMs } from "./TendedAccount.ts"
import { WatchedAccounts } from "./WatchedAccounts.ts"

/** How often a process renews its claim on an account (well within the 15 s of WatchedAccounts). */
const renewEveryMs = 4_000
/** An account without webhooks is not checked again for this long, however many events it writes. */
const askAgainMs = 5_000

export const make = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const round = yield* AccountRound.make
  const tenants = yield* TenantDatabases
  const watched = yield* WatchedAccounts
  /** When an account may be asked again whether it has webhooks, in milliseconds. */
  const notBefore = new Map<AccountSlug, number>()

  /** Runs one round. Returns the milliseconds until the next check; undefined if the account needs no fiber for now. */
  const check = Effect.fnUntraced(function* (tended: TendedAccount) {
    const now = yield* Clock.currentTimeMillis
    tended.isChanged = false
    const found = yield* directory.findServed(tended.account)
    if (Option.isNone(found)) {
      tended.done.splice(0)
      return undefined
    }
    const { account, id } = found.value
    if (account.status !== "active") {
      yield* watched.rest(id, restMs)
      return undefined
    }
    const came = yield* Effect.scoped(
      Effect.flatMap(tenants.open(found.value), (tenant) => Effect.provideContext(round(tended), tenant)),
    )
    const next = tended.next(came, now)
    switch (next._tag) {
      case "Forget":
        notBefore.set(tended.account, now + askAgainMs)
        if (tended.isKnown) yield* watched.forget(id)
        // Further events do not require another check at once, but a webhook that was created meanwhile does.
        if (!tended.isChanged) yield* Queue.clear(tended.news)
        return undefined
      case "Rest":
        yield* watched.rest(id, next.for_ms)
        return undefined
      case "Check":
        if (now - tended.claimedAt > renewEveryMs) {
          yield* watched.tending(id)
          tended.claimedAt = now
          tended.isKnown = true
        }
        return next.in_ms
    }
  })

  return { check, isTooSoon: (account: AccountSlug, now: number) => now < (notBefore.get(account) ?? 0) }
})
