/**
 * Finds the next hop to a peer: resolves a URI's host, checks the address, and adds our own address towards it. Tenants
 * name servers and peers name themselves, so neither may lead into networks that the operator has not allowed.
 */
import { Array as Arr, Clock, Data, Effect, Option } from "effect"
import { isIP } from "node:net"
import { spelledAsBySockets } from "../../domain/IpAddress.ts"
import type { AddressGuard, AddressRefused, HostUnreachable } from "../../outbound/AddressGuard.ts"
import type { ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { hostFor } from "../PublicHosts.ts"
import { AvoidedAddresses } from "./AvoidedAddresses.ts"
import type { CallParts } from "./CallParts.ts"
import { defaultPort, type Hop, type NamedPlace, type Place, type Transport } from "./Hop.ts"
import type { KnownAddresses } from "./KnownAddresses.ts"
import { isEvery, localAddressTo } from "./LocalAddress.ts"
import { locate, type Server } from "./ServerLocation.ts"
import { parseUri, type SipUri } from "./Uri.ts"

/** A trunk's server that we cannot or may not call. */
export class ServerUnreachable extends Data.TaggedError("ServerUnreachable")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

/** How long a resolved hop is cached. */
const keptMs = 60_000
const mostKept = 5_000
/** The most names that are looked up at once. Each look-up holds sockets until the name servers answer. */
const mostLookUps = 64

interface Parts {
  readonly guard: AddressGuard["Service"]
  readonly records: ServiceRecords["Service"]
  readonly isOwnNetwork: (address: string) => boolean
  readonly known: KnownAddresses
  /** The addresses to tell peers in place of the local ones. */
  readonly publicHosts: ReadonlyArray<string>
}

const isTransport = (text: string | undefined): text is Transport => text === "udp" || text === "tcp" || text === "tls"

const sayFault = (host: string, { _tag }: AddressRefused | HostUnreachable): string =>
  _tag === "HostUnreachable"
    ? `The name ${host} has no address.`
    : `The address of ${host} is not public. If the trunk is your own, add its network to PARLEY_SIP_NETWORKS.`

/** Shares look-ups among peers, so that a peer that names ever more servers leaves some to the others. */
class LookUps {
  private readonly countOf = new Map<string, number>()
  private total = 0

  /**
   * Starts a look-up for a peer. Returns false unless more look-ups are free than the peer has. Each `begin` needs an
   * `end`.
   */
  begin(peer: string): boolean {
    const count = this.countOf.get(peer) ?? 0
    if (count >= mostLookUps - this.total) return false
    this.countOf.set(peer, count + 1)
    this.total++
    return true
  }

  end(peer: string): void {
    const left = (this.countOf.get(peer) ?? 1) - 1
    if (left > 0) this.countOf.set(peer, left)
    else this.countOf.delete(peer)
    this.total--
  }
}

/**
 * Resolves a host that a peer names. None if it has no address that we may reach, or if too many look-ups for the peer
 * are in progress. Prefers the IP version of the peer's messages, which is known to work.
 */
const makeAddressOf = (guard: Parts["guard"], isOwnNetwork: Parts["isOwnNetwork"]) => {
  const lookUps = new LookUps()
  return Effect.fnUntraced(function* (host: string, peer: string) {
    const isName = isIP(host) === 0
    if (isName && !lookUps.begin(peer)) return Option.none()
    const addresses = yield* guard.admitHost(host, isOwnNetwork).pipe(
      Effect.orElseSucceed(() => []),
      Effect.ensuring(Effect.sync(() => (isName ? lookUps.end(peer) : undefined))),
    )
    return Option.fromNullishOr(addresses.find((one) => isIP(one) === isIP(peer)) ?? addresses[0])
  })
}

/** Adds our own address towards the place, and reads messages from the place from then on. */
const makeHopTo = (known: KnownAddresses, publicHosts: Parts["publicHosts"]) =>
  Effect.fnUntraced(function* (place: Place, serverName: string, mayUseTcp: boolean) {
    known.add(place.address)
    const localHost = hostFor(publicHosts, place.address) ?? (yield* localAddressTo(place.address))
    const { address, port, transport } = place
    return { transport, address, port, serverName, localHost, mayUseTcp } satisfies Hop
  })

export const make = Effect.fnUntraced(function* ({ guard, isOwnNetwork, known, publicHosts, records }: Parts) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const kept = new Map<string, { readonly hop: Hop; readonly at: number }>()
  const avoided = new AvoidedAddresses(() => clock.currentTimeMillisUnsafe())
  const addressOf = makeAddressOf(guard, isOwnNetwork)
  const hopTo = makeHopTo(known, publicHosts)

  /** Resolves a URI to a hop; to `place` if the URI has no address that we may reach. */
  const follow = Effect.fnUntraced(function* (parsed: SipUri | null, place: NamedPlace) {
    const host = parsed === null ? "" : spelledAsBySockets(parsed.host)
    const asks = parsed !== null && host !== place.address
    const address = asks ? yield* addressOf(host, place.address) : null
    if (parsed === null || address?._tag === "None") return yield* hopTo(place, place.serverName, false)
    const named = parsed.params.get("transport")?.toLowerCase()
    const transport = isTransport(named) ? named : parsed.scheme === "sips" ? "tls" : place.transport
    const port = parsed.port ?? defaultPort(transport)
    // A server that we reached by name often gives its IP address in `Contact`, which is not on its certificate.
    const serverName = address === null ? place.serverName : host
    return yield* hopTo({ transport, address: address?.value ?? place.address, port }, serverName, false)
  })

  const resolve: CallParts["resolve"] = (uri, place, then) => {
    const parsed = parseUri(uri)
    const wanted =
      parsed && `${parsed.scheme} ${parsed.host} ${parsed.port} ${parsed.params.get("transport")?.slice(0, 8)}`
    const key = `${place.transport} ${place.address} ${place.port} ${place.serverName} ${wanted}`
    const known = kept.get(key)
    const now = clock.currentTimeMillisUnsafe()
    if (known !== undefined && Math.abs(now - known.at) < keptMs) return then(known.hop)
    const found = Effect.map(follow(parsed, place), (hop) => {
      if (kept.size >= mostKept) kept.clear()
      kept.set(key, { hop, at: now })
      return hop
    })
    run(Effect.map(found, then))
  }

  /**
   * Returns the addresses of a trunk's server, the first to try first. All have one IP version, because a call's offer
   * has the IP version of the first. Addresses of the other version follow once these have failed.
   */
  const find = Effect.fnUntraced(function* (server: Server) {
    const { host } = server
    const found = yield* Effect.mapError(
      locate(server, { guard, records, isOwnNetwork }),
      (fault) => new ServerUnreachable({ why: sayFault(host, fault) }),
    )
    const hops = yield* Effect.forEach(avoided.order(found), (place) => hopTo(place, host, place.transport === "udp"))
    const [first] = hops.filter(({ localHost }) => !isEvery(localHost))
    const ways = hops.filter(({ address }) => isIP(address) === isIP(first?.address ?? ""))
    if (Arr.isReadonlyArrayNonEmpty(ways)) return ways
    const why = hops.length > 0 ? `This machine has no way to ${host}.` : `The name ${host} has no address.`
    return yield* Effect.fail(new ServerUnreachable({ why }))
  })

  return { resolve, find, avoid: avoided.add }
})
