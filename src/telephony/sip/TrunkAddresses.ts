/**
 * The addresses from which the trunks of all accounts' numbers may call: those that a number lists, and those of its
 * server's name, which is resolved again every minute. Kept in memory, since each arriving message asks.
 */
import { Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"
import { isIP } from "node:net"
import { AddressGuard, isPublic } from "../../outbound/AddressGuard.ts"
import { ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { InboundNumbers, type Trunks } from "../../tenancy/InboundNumbers.ts"
import * as Ticks from "../../tenancy/Ticks.ts"
import { hostsOf } from "./ServerLocation.ts"
import { SipSettings } from "./SipSettings.ts"

/** A number that another process has stored can be called from its trunk within this time. */
const lookEvery = "1 second"
/** How long a name's addresses are used. A name that cannot be resolved any more keeps its last ones. */
const resolvedForMs = 60_000
const resolvedAtOnce = 8
/** Names that are resolved in one turn, so that names of silent servers do not delay new ones by much. */
const mostInTurn = 32
/** Names of one account that are resolved. */
const mostOfAccount = 100

/** The names among the servers, as far as their accounts may have them. */
const resolvableOf = ({ servers }: Trunks): ReadonlyArray<string> => {
  const countOf = new Map<string, number>()
  return servers.flatMap(({ accounts, server }) => {
    if (isIP(server) !== 0) return []
    const mayResolve = accounts.some((account) => (countOf.get(account) ?? 0) < mostOfAccount)
    for (const account of accounts) countOf.set(account, (countOf.get(account) ?? 0) + 1)
    return mayResolve ? [server] : []
  })
}

/** All trunks and the addresses of their names. Plain code; times in milliseconds. */
class Table {
  private readonly isAllowed: (address: string) => boolean
  private readonly oneAtATime = Semaphore.makeUnsafe(1)
  private trunks: Trunks = { servers: [], addresses: [] }
  private names: ReadonlyArray<string> = []
  private readonly resolved = new Map<string, { readonly addresses: ReadonlyArray<string>; readonly at: number }>()
  /** Servers by address; an address that is only listed has none. */
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
    const wanted = new Set(this.names)
    for (const name of this.resolved.keys()) if (!wanted.has(name)) this.resolved.delete(name)
    return this.arrange
  }

  /** Names to resolve now. */
  stale(now: number): ReadonlyArray<string> {
    const isStale = (name: string) => now - (this.resolved.get(name)?.at ?? -Infinity) > resolvedForMs
    return this.names.filter(isStale).slice(0, mostInTurn)
  }

  /** Null: the name could not be resolved. */
  learn(name: string, addresses: ReadonlyArray<string> | null, at: number): void {
    this.resolved.set(name, { addresses: addresses ?? this.resolved.get(name)?.addresses ?? [], at })
  }

  /** Applies what is known now. Spread over ticks: an account may have 10,000 numbers with 32 addresses each. */
  readonly arrange: Effect.Effect<void> = Effect.suspend(() => {
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
    /** The servers, as numbers name them, that have this address. */
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
      const addressesOf = (host: string) => Effect.orElseSucceed(guard.admitHost(host, isOwnNetwork), () => null)
      const resolve = Effect.fnUntraced(function* (name: string) {
        const found = yield* Effect.forEach(yield* hostsOf(records, name), addressesOf)
        const addresses = found.filter((one) => one !== null)
        table.learn(name, addresses.length === 0 ? null : addresses.flat(), yield* Clock.currentTimeMillis)
      })
      const resolveStale = Effect.gen(function* () {
        const stale = table.stale(yield* Clock.currentTimeMillis)
        if (stale.length === 0) return
        yield* Effect.forEach(stale, resolve, { concurrency: resolvedAtOnce, discard: true })
        yield* table.arrange
      })
      const repeat = (work: Effect.Effect<void>) =>
        work.pipe(
          Effect.catchCause((cause) => Effect.logWarning("reading the addresses of SIP trunks failed", cause)),
          Effect.repeat(Schedule.spaced(lookEvery)),
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
