/**
 * Finds the way to a peer: resolves a URI's host, checks the address, and adds our own address as that peer reaches it. A
 * tenant names servers, and a peer names itself, so neither may lead into networks that the operator has not allowed.
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

/** A trunk's server that may not, or cannot, be called. */
export class ServerUnreachable extends Data.TaggedError("ServerUnreachable")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

/** A resolved way is cached for this long. */
const keptMs = 60_000
const mostKept = 5_000
/** Names that are looked up at the same moment: each asks the name servers, and holds sockets until they answer. */
const mostLookUps = 64

interface Parts {
  readonly guard: AddressGuard["Service"]
  readonly records: ServiceRecords["Service"]
  readonly isOwnNetwork: (address: string) => boolean
  readonly known: KnownAddresses
  /** What peers are told instead of the address that the system would send from. */
  readonly publicHosts: ReadonlyArray<string>
}

const isTransport = (text: string | undefined): text is Transport => text === "udp" || text === "tcp" || text === "tls"

const sayFault = (host: string, { _tag }: AddressRefused | HostUnreachable): string =>
  _tag === "HostUnreachable"
    ? `The name ${host} has no address.`
    : `The address of ${host} is not public. If the trunk is your own, add its network to PARLEY_SIP_NETWORKS.`

/** Counts look-ups, so that a peer that names servers without end leaves some to the others. */
class LookUps {
  private readonly countOf = new Map<string, number>()
  private total = 0

  /** A peer gets another one only while more are free than it has. Each that begins has to end. */
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
 * The address of a host that a peer names. None if it has none that may be reached, or too many names are being looked up for
 * the peer. One of the family of the peer's messages is preferred: it is known to work.
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

export const make = Effect.fnUntraced(function* ({ guard, isOwnNetwork, known, publicHosts, records }: Parts) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const kept = new Map<string, { readonly hop: Hop; readonly at: number }>()
  const avoided = new AvoidedAddresses(() => clock.currentTimeMillisUnsafe())
  const addressOf = makeAddressOf(guard, isOwnNetwork)
  const hopTo = Effect.fnUntraced(function* (place: Place, serverName: string, mayUseTcp: boolean) {
    known.add(place.address)
    const localHost = hostFor(publicHosts, place.address) ?? (yield* localAddressTo(place.address))
    const { address, port, transport } = place
    return { transport, address, port, serverName, localHost, mayUseTcp } satisfies Hop
  })

  /** Where a URI leads; to `place` if it leads nowhere that may be reached. */
  const follow = Effect.fnUntraced(function* (parsed: SipUri | null, place: NamedPlace) {
    const host = parsed === null ? "" : spelledAsBySockets(parsed.host)
    const asks = parsed !== null && host !== place.address
    const address = asks ? yield* addressOf(host, place.address) : null
    if (parsed === null || address?._tag === "None") return yield* hopTo(place, place.serverName, false)
    const named = parsed.params.get("transport")?.toLowerCase()
    const transport = isTransport(named) ? named : parsed.scheme === "sips" ? "tls" : place.transport
    const port = parsed.port ?? defaultPort(transport)
    // A server that is reached by name often calls itself by its address, which is not on its certificate.
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
   * The ways to a trunk's server, the first to try first. All are of one IP version, because a call offers its sound over that
   * of the first. Those of the other version are found once these have failed.
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
