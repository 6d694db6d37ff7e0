/**
 * Shares a limited number of places (sandboxes, outgoing requests, workers) among accounts. An account takes another
 * place only while more places are free than it holds. Alone it gets half of them; beside `n` others that want all they
 * can get, one in `n + 2`; an account that holds none starts as soon as any place is free.
 */
import { Data, Deferred, Effect } from "effect"

export interface Limits {
  /** The work that takes a place, in the plural, for the refusal: "python tools". */
  readonly what: string
  /** In use at the same moment, over all accounts of this process. */
  readonly places: number
  /** Waiting at the same moment, for each account. */
  readonly waiting: number
}

/** The account already has as many waiters as it may. The work was neither run nor queued. */
export class ShareFull extends Data.TaggedError("ShareFull")<Limits> {
  override get message() {
    return `${this.waiting} ${this.what} of this account are waiting already. Try again when some of them have ended.`
  }
}

export interface FairSemaphore {
  /** Runs the work when the account gets a place. Interrupting it gives the place, or the place in the queue, back. */
  readonly withPlace: (account: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ShareFull, R>
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

export const make = (limits: Limits): Effect.Effect<FairSemaphore> =>
  Effect.sync(() => {
    /** Accounts that hold a place or wait; those served longest ago come first. */
    const shares = new Map<string, Share>()
    let free = limits.places

    const shareOf = (account: string): Share => {
      const share = shares.get(account) ?? { held: 0, waiting: new Set() }
      shares.set(account, share)
      return share
    }

    /** The account that holds the fewest places among those that wait; among several, the one served longest ago. */
    const findNext = () => {
      let next: { readonly account: string; readonly share: Share } | undefined
      for (const [account, share] of shares) {
        if (share.waiting.size > 0 && (next === undefined || share.held < next.share.held)) next = { account, share }
      }
      return next
    }

    const serveWaiting = () => {
      for (let next = findNext(); next !== undefined && next.share.held < free; next = findNext()) {
        const { account, share } = next
        const [ticket] = share.waiting
        if (ticket === undefined) return
        share.waiting.delete(ticket)
        share.held++
        free--
        ticket.hasPlace = true
        shares.delete(account)
        shares.set(account, share)
        if (ticket.ready !== undefined) Deferred.doneUnsafe(ticket.ready, Effect.void)
      }
    }

    const enter = (account: string): Ticket | undefined => {
      const share = shareOf(account)
      const ticket: Ticket = { account, hasPlace: false, ready: undefined }
      share.waiting.add(ticket)
      serveWaiting()
      if (ticket.hasPlace) return ticket
      if (share.waiting.size > limits.waiting) {
        share.waiting.delete(ticket)
        return undefined
      }
      ticket.ready = Deferred.makeUnsafe()
      return ticket
    }

    const leave = (ticket: Ticket) => {
      const share = shareOf(ticket.account)
      share.waiting.delete(ticket)
      if (ticket.hasPlace) {
        share.held--
        free++
      }
      if (share.held === 0 && share.waiting.size === 0) shares.delete(ticket.account)
      serveWaiting()
    }

    return {
      withPlace:
        (account) =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.suspend((): Effect.Effect<A, E | ShareFull, R> => {
              const ticket = enter(account)
              if (ticket === undefined) return Effect.fail(new ShareFull(limits))
              // The yield keeps a chain of short jobs from nesting in the finalizer of the one before.
              const wait =
                ticket.ready === undefined ? Effect.void : Effect.andThen(Deferred.await(ticket.ready), Effect.yieldNow)
              return Effect.ensuring(
                restore(Effect.andThen(wait, work)),
                Effect.sync(() => leave(ticket)),
              )
            }),
          ),
    }
  })
