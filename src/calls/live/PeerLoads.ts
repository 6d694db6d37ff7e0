/** What this process knows of the calls that it and the others carry, and how it divides new calls among them. */
import { Clock, Context, Effect, Layer } from "effect"
import { Cluster } from "../../cluster/Cluster.ts"
import * as Capacity from "../../cluster/Capacity.ts"
import { Node } from "../../cluster/Node.ts"
import * as CallSpread from "../../domain/CallSpread.ts"
import * as Readings from "../../telemetry/Readings.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { OpenOffers } from "./OpenOffers.ts"

/** How long a process that left an offer unanswered gets no further offers, in milliseconds. */
const passOverMs = 10_000

/** Lets a dial pass read the room of all processes, and claim the calls that it will begin. */
export interface Claim {
  readonly room: () => number
  readonly claim: (calls: number) => void
}

export class PeerLoads extends Context.Service<
  PeerLoads,
  {
    /** How many calls this process can still take on. */
    readonly room: () => number
    /** How many calls all processes together can still take on, without those that passes under way have claimed. */
    readonly roomOfAll: () => number
    /**
     * Runs a dial pass, which claims the calls that it will begin right after it has read `roomOfAll`, so that passes of
     * other accounts do not count on the same room. The claim ends with the pass, when its calls are divided.
     */
    readonly withClaim: <A, E, R>(pass: (claim: Claim) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Reserves up to `most` places of this process for calls that it is about to accept. Returns how many it reserved.
     */
    readonly reserve: (most: number) => number
    readonly release: (places: number) => void
    /** Divides new calls between this process and others. */
    readonly divide: (count: number) => { readonly own: number; readonly others: ReadonlyMap<string, number> }
    /** The calls that this process has offered. */
    readonly offers: OpenOffers
    /** Notes that a process has answered all offers of an account, and carries this many calls now. */
    readonly noteAnswer: (account: string, peer: string, calls: number) => void
    /** Offers nothing to this process for a while. */
    readonly passOver: (peer: string) => void
  }
>()("calls/live/PeerLoads") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const node = yield* Node
      const calls_max = yield* Capacity.callsMax
      let reserved = 0
      let claimed = 0
      const offers = new OpenOffers()
      const { noteAnswer, passOver, peers } = yield* makeKnown(offers)
      const own = () => ({ calls: live.conducted() + reserved, calls_max })
      const room = () => CallSpread.roomOf(own())
      const roomOfAll = () =>
        Math.max(0, peers().reduce((sum, peer) => sum + CallSpread.roomOf(peer), room()) - claimed)
      yield* node.countCalls(live.conducted)
      yield* Readings.register([
        {
          name: "parley_calls_max",
          description: "The most calls that this process conducts for campaigns (PARLEY_CALLS_PER_PROCESS).",
          read: () => calls_max,
        },
      ])

      return {
        room,
        roomOfAll,
        withClaim: (pass) => {
          let ofPass = 0
          const claim = (calls: number) => {
            ofPass += calls
            claimed += calls
          }
          const end = Effect.sync(() => void (claimed -= ofPass))
          return Effect.ensuring(pass({ room: roomOfAll, claim }), end)
        },
        reserve: (most) => {
          const places = Math.min(room(), most)
          reserved += places
          return places
        },
        release: (places) => {
          reserved -= places
        },
        divide: (count) => {
          const others = peers()
          const head_start = CallSpread.headStartFor(live.meanMs())
          const divided = CallSpread.divide(count, { ...own(), head_start }, others)
          const given = others.map(({ id }, at) => [id, divided.others[at] ?? 0] as const)
          return { own: divided.own, others: new Map(given.filter(([, calls]) => calls > 0)) }
        },
        offers,
        noteAnswer,
        passOver,
      }
    }),
  )
}

/** What is known of the other processes. */
const makeKnown = Effect.fnUntraced(function* (offers: OpenOffers) {
  const clock = yield* Clock.Clock
  const cluster = yield* Cluster
  const now = () => clock.currentTimeMillisUnsafe()
  const answers = new Map<string, { readonly calls: number; readonly at: number }>()
  const passedOver = new Map<string, number>()
  return {
    /** The processes that may get offers, with the latest that is known of each. */
    peers: () =>
      cluster.peers().flatMap(({ calls, calls_max, heard_at, id }) => {
        if ((passedOver.get(id) ?? 0) > now()) return []
        const answer = answers.get(id)
        const latest = answer !== undefined && answer.at > heard_at ? answer.calls : calls
        return [{ id, calls: latest + offers.to(id), calls_max }]
      }),
    noteAnswer: (account: string, peer: string, calls: number) => {
      answers.set(peer, { calls, at: now() })
      offers.close(account, peer)
    },
    passOver: (peer: string) => void passedOver.set(peer, now() + passOverMs),
  }
})
