/**
 * The addresses from which the trunks of all numbers may call: those that a number lists, and those of its server's
 * name, which is resolved again every minute. They are in memory, because each incoming message is checked against
 * them.
 */
import { Clock, Context, Effect, FiberMap, Layer, Schedule, Semaphore } from "effect"
import { isIP } from "node:net"
import { AddressGuard, isPublic } from "../../outbound/AddressGuard.ts"
import { ServiceRecords } from "../../outbound/ServiceRecords.ts"
import * as FairSemaphore from "../../tenancy/FairSemaphore.ts"
import { InboundNumbers, type Trunks } from "../../tenancy/InboundNumbers.ts"
import * as Ticks from "../../tenancy/Ticks.ts"
import { collectAddresses } from "./ServerLocation.ts"
import { SipSettings } from "./SipSettings.ts"

/**
 * How often this process reads changed numbers. A new number's listed addresses are admitted within this time. The
 * addresses of its server's name follow when they are resolved.
 */
const checkEvery = "1 second"
/** How often a name is resolved again. If that fails, the last addresses stay valid. */
const resolvedForMs = 60_000
/** The most look-ups at once. An account with silent name servers takes no more than its share. */
const resolving = { what: "names of SIP trunks", places: 16, waiting: Number.MAX_SAFE_INTEGER }
/** The limit of one look-up: a tenant's name server may be silent, or may refer to silent ones. */
const resolvedWithin = "20 seconds"
/** The most names of one account that are queued or being resolved. */
const mostUnderWay = 8
/** The most names of one account that are resolved at all. */
const mostOfAccount = 100

/** Returns the names to resolve within the accounts' limits, each with the account in whose share it is resolved. */
const resolvableOf = ({ servers }: Trunks): ReadonlyMap<string, string> => {
  const named = servers.filter(({ server }) => isIP(server) === 0)
  const countOf = new Map<string, number>()
  for (const account of named.flatMap(({ accounts }) => accounts)) {
    countOf.set(account, (countOf.get(account) ?? 0) + 1)
  }
  const takenOf = new Map<string, number>()
  const names = new Map<string, string>()
  for (const { accounts, server } of named) {
    const mayResolve = accounts.some((account) => (takenOf.get(account) ?? 0) < mostOfAccount)
    for (const account of accounts) takenOf.set(account, (takenOf.get(account) ?? 0) + 1)
    // The account with the fewest names pays, so that another account that lists the same name cannot delay it.
    const [payer] = accounts.toSorted((a, b) => (countOf.get(a) ?? 0) - (countOf.get(b) ?? 0))
    if (mayResolve && payer !== undefined) names.set(server, payer)
  }
  return names
}

interface Resolved {
  readonly addresses: ReadonlyArray<string>
  readonly at: number
}

/** All trunks and the addresses of their names. Times are in milliseconds. */
class Table {
  private readonly isAllowed: (address: string) => boolean
  private readonly oneAtATime = Semaphore.makeUnsafe(1)
  private trunks: Trunks = { servers: [], addresses: [] }
  /** The account in whose share a name is resolved, by name. */
  private names: ReadonlyMap<string, string> = new Map()
  private readonly resolved = new Map<string, Resolved>()
  /** Whether a name has new addresses that `arrange` has not applied yet. */
  private hasNews = false
  /** The servers by address. An address that numbers only list has no server. */
  private known = new Map<string, Array<string>>()

  constructor(isAllowed: (address: string) => boolean) {
    this.isAllowed = isAllowed
  }

  serversAt(address: string): ReadonlyArray<string> | undefined {
    return this.known.get(address)
  }

  replace(trunks: Trunks): Effect.Effect<void> {
    this.trunks = trunks
    this.names = resolvableOf(trunks)
    for (const name of this.resolved.keys()) if (!this.names.has(name)) this.resolved.delete(name)
    return this.arrange
  }

  /** Returns the names to resolve now, each with the account in whose share it is resolved. */
  stale(now: number, isUnderWay: (name: string) => boolean): ReadonlyArray<readonly [name: string, account: string]> {
    const countOf = new Map<string, number>()
    const takePlace = (account: string) => {
      const count = countOf.get(account) ?? 0
      countOf.set(account, count + 1)
      return count < mostUnderWay
    }
    const resolvedAt = (name: string) => this.resolved.get(name)?.at ?? -Infinity
    const open = [...this.names].filter(([name, account]) => {
      const isRunning = isUnderWay(name)
      if (isRunning) takePlace(account)
      return !isRunning && now - resolvedAt(name) > resolvedForMs
    })
    return open
      .toSorted(([a], [b]) => Math.sign(resolvedAt(a) - resolvedAt(b)) || 0)
      .filter(([, account]) => takePlace(account))
  }

  /** Stores the addresses that were found. None: the name could not be resolved. */
  learn(name: string, found: ReadonlyArray<string>, at: number): void {
    const before = this.resolved.get(name)?.addresses ?? []
    const addresses = found.length === 0 ? before : found.toSorted()
    this.hasNews ||= addresses.join(" ") !== before.join(" ")
    if (this.names.has(name)) this.resolved.set(name, { addresses, at })
  }

  get arrangeNews(): Effect.Effect<void> {
    return this.hasNews ? this.arrange : Effect.void
  }

  /**
   * Rebuilds the index of addresses. Spread over ticks of the event loop: an account may have 10,000 numbers with 32
   * addresses each.
   */
  private readonly arrange: Effect.Effect<void> = Effect.suspend(() => {
    this.hasNews = false
    const known = new Map<string, Array<string>>()
    const add = (address: string, server?: string) => {
      if (!this.isAllowed(address)) return
      const servers = known.get(address) ?? []
      known.set(address, servers)
      if (server !== undefined) servers.push(server)
    }
    const addServer = (server: string) => {
      const addresses = isIP(server) === 0 ? (this.resolved.get(server)?.addresses ?? []) : [server]
      for (const address of addresses) add(address, server)
    }
    return Ticks.forEach(this.trunks.addresses, (address) => add(address)).pipe(
      Effect.andThen(Ticks.forEach(this.trunks.servers, ({ server }) => addServer(server))),
      Effect.andThen(Effect.sync(() => void (this.known = known))),
    )
  }).pipe(this.oneAtATime.withPermits(1))
}

export class TrunkAddresses extends Context.Service<
  TrunkAddresses,
  {
    readonly has: (address: string) => boolean
    /** Returns the servers that have this address, spelled as the numbers name them. */
    readonly serversAt: (address: string) => ReadonlyArray<string>
  }
>()("telephony/sip/TrunkAddresses") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const directory = yield* InboundNumbers
      const guard = yield* AddressGuard
      const records = yield* ServiceRecords
      const { isOwnNetwork, listener } = yield* SipSettings
      const table = new Table((address) => isPublic(address) || isOwnNetwork(address))
      let revision = ""

      const look = Effect.gen(function* () {
        const present = yield* directory.revision
        if (present === revision) return
        yield* table.replace(yield* directory.trunks)
        revision = present
      })
      const places = yield* FairSemaphore.make(resolving)
      const underWay = yield* FiberMap.make<string>()
      const resolve = Effect.fnUntraced(function* (name: string) {
        const found: Array<string> = []
        yield* Effect.timeoutOption(collectAddresses({ guard, records, isOwnNetwork }, name, found), resolvedWithin)
        table.learn(name, found, yield* Clock.currentTimeMillis)
      })
      const resolveStale = Effect.gen(function* () {
        yield* table.arrangeNews
        const stale = table.stale(yield* Clock.currentTimeMillis, (name) => FiberMap.hasUnsafe(underWay, name))
        for (const [name, account] of stale) {
          yield* FiberMap.run(underWay, name, places.withPlace(account)(resolve(name)), { onlyIfMissing: true })
        }
      })
      const repeat = (work: Effect.Effect<void>) =>
        work.pipe(
          Effect.catchCause((cause) => Effect.logWarning("reading the addresses of SIP trunks failed", cause)),
          Effect.repeat(Schedule.spaced(checkEvery)),
          Effect.forkScoped,
        )
      if (listener !== null) yield* Effect.andThen(repeat(look), repeat(resolveStale))
      return {
        has: (address) => table.serversAt(address) !== undefined,
        serversAt: (address) => table.serversAt(address) ?? [],
      }
    }),
  )
}
