/**
 * Tends one account: runs a round, and records in the platform's database when a process should look at the account
 * next.
 */
import { Clock, Effect, Option, Queue } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as AccountRound from "./AccountRound.ts"
import { type Desk, restMs } from "./Desk.ts"
import { WatchedAccounts } from "./WatchedAccounts.ts"

/** How often a process renews its claim on an account (well within the 15 s of WatchedAccounts). */
const sayEveryMs = 4_000
/** An account without webhooks is not looked at again for this long, however many events it writes. */
const askAgainMs = 5_000

export const make = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const round = yield* AccountRound.make
  const tenants = yield* TenantDatabases
  const watched = yield* WatchedAccounts
  /** When an account may be asked again whether it has webhooks, in milliseconds. */
  const notBefore = new Map<AccountSlug, number>()

  /** Runs one round. Returns the milliseconds until the next look; undefined if the account needs no fiber for now. */
  const look = Effect.fnUntraced(function* (desk: Desk) {
    const now = yield* Clock.currentTimeMillis
    desk.isChanged = false
    const found = yield* directory.findServed(desk.account)
    if (Option.isNone(found)) {
      desk.done.splice(0)
      return undefined
    }
    const { account, id } = found.value
    if (account.status !== "active") {
      yield* watched.rest(id, restMs)
      return undefined
    }
    const came = yield* Effect.scoped(
      Effect.flatMap(tenants.open(found.value), (tenant) => Effect.provideContext(round(desk), tenant)),
    )
    const next = desk.next(came, now)
    switch (next._tag) {
      case "Forget":
        notBefore.set(desk.account, now + askAgainMs)
        if (desk.isKnown) yield* watched.forget(id)
        // Further events do not require another look at once, but a webhook that was created meanwhile does.
        if (!desk.isChanged) yield* Queue.clear(desk.news)
        return undefined
      case "Rest":
        yield* watched.rest(id, next.for_ms)
        return undefined
      case "Look":
        if (now - desk.saidAt > sayEveryMs) {
          yield* watched.tending(id)
          desk.saidAt = now
          desk.isKnown = true
        }
        return next.in_ms
    }
  })

  return { look, isTooSoon: (account: AccountSlug, now: number) => now < (notBefore.get(account) ?? 0) }
})
