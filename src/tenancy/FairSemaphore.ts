/**
 * Shares a limited number of places (sandboxes, outgoing requests, connections) among accounts. An account takes
 * another place only while more places are free than it holds. Alone it gets half of them; beside `n` others that want
 * all they can get, one in `n + 2`; an account that holds none starts as soon as a place is free.
 */
import { Data, Deferred, Effect, type Scope } from "effect"

export interface Limits {
  /** The work that takes a place, in the plural, for the refusal: "python tools". */
  readonly what: string
  /** The most places in use at the same time, over all accounts of this process. */
  readonly places: number
  /** The most waiters of one account at the same time. */
  readonly waiting: number
}

/** The account's queue is full. The work was neither run nor queued. */
export class ShareFull extends Data.TaggedError("ShareFull")<Limits> {
  override get message() {
    return `${this.waiting} ${this.what} of this account are waiting already. Try again when some of them have ended.`
  }
}

export interface FairSemaphore {
  /** Runs the work when the account gets a place. Interrupting it gives up the place, or the wait for one. */
  readonly withPlace: (account: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ShareFull, R>
  /**
   * Holds a place until the scope closes. `meanwhile` runs while the account waits for it, and has to go on until
   * then.
   */
  readonly hold: (account: string, meanwhile: Effect.Effect<never>) => Effect.Effect<void, ShareFull, Scope.Scope>
}

interface Ticket {
  readonly account: string
  hasPlace: boolean
  /** Set while the ticket waits. */
  ready: Deferred.Deferred<void> | undefined
}

interface Share {
  held: number
  /** In order of arrival. */
  readonly waiting: Set<Ticket>
}

/** Knows which accounts hold places and which wait, and chooses the one that is served next. Plain code. */
class Places {
  private readonly limits: Limits
  /** Accounts that hold a place or wait; those served longest ago come first. */
  private readonly shares = new Map<string, Share>()
  private free: number

  constructor(limits: Limits) {
    this.limits = limits
    this.free = limits.places
  }

  /** Returns a ticket that has a place or waits for one; undefined if the account has too many waiters already. */
  enter(account: string): Ticket | undefined {
    const share = this.shareOf(account)
    const ticket: Ticket = { account, hasPlace: false, ready: undefined }
    share.waiting.add(ticket)
    this.serveWaiting()
    if (ticket.hasPlace) return ticket
    if (share.waiting.size > this.limits.waiting) {
      share.waiting.delete(ticket)
      return undefined
    }
    ticket.ready = Deferred.makeUnsafe()
    return ticket
  }

  leave(ticket: Ticket): void {
    const share = this.shareOf(ticket.account)
    share.waiting.delete(ticket)
    if (ticket.hasPlace) {
      share.held--
      this.free++
    }
    if (share.held === 0 && share.waiting.size === 0) this.shares.delete(ticket.account)
    this.serveWaiting()
  }

  private shareOf(account: string): Share {
    const share = this.shares.get(account) ?? { held: 0, waiting: new Set() }
    this.shares.set(account, share)
    return share
  }

  /** The account that holds the fewest places among those that wait; among several, the one served longest ago. */
  private findNext() {
    let next: { readonly account: string; readonly share: Share } | undefined
    for (const [account, share] of this.shares) {
      if (share.waiting.size > 0 && (next === undefined || share.held < next.share.held)) next = { account, share }
    }
    return next
  }

  private serveWaiting(): void {
    for (let next = this.findNext(); next !== undefined && next.share.held < this.free; next = this.findNext()) {
      const { account, share } = next
      const [ticket] = share.waiting
      if (ticket === undefined) return
      share.waiting.delete(ticket)
      share.held++
      this.free--
      ticket.hasPlace = true
      this.shares.delete(account)
      this.shares.set(account, share)
      if (ticket.ready !== undefined) Deferred.doneUnsafe(ticket.ready, Effect.void)
    }
  }
}

export const make = (limits: Limits): Effect.Effect<FairSemaphore> =>
  Effect.sync(() => {
    const places = new Places(limits)
    return {
      withPlace:
        (account) =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.suspend((): Effect.Effect<A, E | ShareFull, R> => {
              const ticket = places.enter(account)
              if (ticket === undefined) return Effect.fail(new ShareFull(limits))
              // The yield keeps a chain of short jobs from nesting in the finalizer of the one before.
              const wait =
                ticket.ready === undefined ? Effect.void : Effect.andThen(Deferred.await(ticket.ready), Effect.yieldNow)
              return Effect.ensuring(
                restore(Effect.andThen(wait, work)),
                Effect.sync(() => places.leave(ticket)),
              )
            }),
          ),
      hold: Effect.fnUntraced(function* (account, meanwhile) {
        const { ready } = yield* Effect.acquireRelease(
          Effect.suspend(() => {
            const ticket = places.enter(account)
            return ticket === undefined ? Effect.fail(new ShareFull(limits)) : Effect.succeed(ticket)
          }),
          (ticket) => Effect.sync(() => places.leave(ticket)),
        )
        if (ready !== undefined) yield* Effect.raceFirst(Deferred.await(ready), meanwhile)
      }),
    }
  })
