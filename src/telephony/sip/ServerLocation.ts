/**
 * The addresses at which a trunk's server is reached, the first to try first (RFC 3263). A server with a port, or that is
 * an address itself, is where it says; a name alone is looked up by its SRV records, and without such records by its
 * addresses. NAPTR is asked if the trunk leaves the transport to its server.
 */
import { Effect } from "effect"
import { isIP } from "node:net"
import type { AddressGuard, AddressRefused, HostUnreachable } from "../../outbound/AddressGuard.ts"
import type { ServiceHost, ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { defaultPort, type Place, type Transport } from "./Hop.ts"

export interface Server {
  readonly host: string
  /** Null: the one of its SRV records, or the transport's usual one. */
  readonly port: number | null
  /** `auto`: the one that the server's records ask for. */
  readonly transport: Transport | "auto"
}

/** Each costs a call that fails some time. */
const mostAddresses = 8

const serviceOf: Record<Transport, string> = { udp: "_sip._udp", tcp: "_sip._tcp", tls: "_sips._tcp" }
/** What NAPTR records call them (RFC 3263 §4.1). */
const transportOf = new Map<string, Transport>([
  ["SIP+D2U", "udp"],
  ["SIP+D2T", "tcp"],
  ["SIPS+D2T", "tls"],
])

interface Parts {
  readonly guard: AddressGuard["Service"]
  readonly records: ServiceRecords["Service"]
  readonly isOwnNetwork: (address: string) => boolean
}

type Records = ServiceRecords["Service"]

interface Named extends ServiceHost {
  readonly transport: Transport
}

const serversOver = (records: Records, service: string, transport: Transport) =>
  Effect.map(records.find(service), (hosts) => hosts.map((host): Named => ({ ...host, transport })))

/**
 * The servers of a name by the transports that it asks for, the one it prefers first. A name without NAPTR records is
 * asked for its SRV records of each transport, at the same time: a name server that is silent costs seconds.
 */
const serversOf = Effect.fnUntraced(function* (records: Records, name: string) {
  const wants = records.findServices(name, (service) => transportOf.has(service))
  const each = Effect.forEach(
    Object.entries(serviceOf),
    ([transport, service]) => serversOver(records, `${service}.${name}`, transport as Transport),
    { concurrency: "unbounded" },
  )
  const [wanted, offered] = yield* Effect.all([wants, each], { concurrency: 2 })
  if (wanted.length === 0) return offered.find((servers) => servers.length > 0) ?? []
  const found = yield* Effect.forEach(
    wanted,
    ({ domain, service }) => serversOver(records, domain, transportOf.get(service) ?? "udp"),
    { concurrency: "unbounded" },
  )
  return found.flat()
})

/** Hosts of one trunk whose addresses are looked up. */
const mostHosts = 32

/** Every host that the records of a trunk's name lead to, over whichever transport: calls may come from any of them. */
const hostsOf = Effect.fnUntraced(function* (records: Records, name: string) {
  const find = (domains: ReadonlyArray<string>) => Effect.forEach(domains, records.find, { concurrency: "unbounded" })
  const wants = records.findServices(name, (service) => transportOf.has(service))
  const usual = Object.values(serviceOf).map((service) => `${service}.${name}`)
  const [wanted, offered] = yield* Effect.all([wants, find(usual)], { concurrency: 2 })
  const others = wanted.map(({ domain }) => domain).filter((domain) => !usual.includes(domain))
  const found = [...offered, ...(yield* find([...new Set(others)]))]
  return [...new Set(found.flat().map(({ host }) => host))].slice(0, mostHosts)
})

/** Adds to `found` every address of a trunk's name, and of the hosts that its records lead to, as they are told. */
export const collectAddresses = ({ guard, isOwnNetwork, records }: Parts, name: string, found: Array<string>) => {
  const collect = (host: string) =>
    Effect.map(
      Effect.orElseSucceed(guard.admitHost(host, isOwnNetwork), () => []),
      (addresses) => void found.push(...addresses),
    )
  const ofHosts = Effect.flatMap(hostsOf(records, name), (hosts) =>
    Effect.forEach(hosts, collect, { concurrency: 8, discard: true }),
  )
  return Effect.all([collect(name), ofHosts], { concurrency: 2, discard: true })
}

/** IPv4 first: the ways of many trunks and networks are not as well trodden over IPv6. */
const byFamily = (one: string, other: string): number => isIP(one) - isIP(other)

/** Fails as the last of the server's names did, if none of them leads to an address. */
export const locate = Effect.fnUntraced(function* ({ host, port, transport }: Server, parts: Parts) {
  const { guard, isOwnNetwork, records } = parts
  const isExact = port !== null || isIP(host) !== 0
  const usual: Transport = transport === "auto" ? "udp" : transport
  const named = isExact
    ? []
    : yield* transport === "auto"
        ? serversOf(records, host)
        : serversOver(records, `${serviceOf[transport]}.${host}`, transport)
  const servers = named.length > 0 ? named : [{ host, port: port ?? defaultPort(usual), transport: usual }]
  const found: Array<Place> = []
  let failure: AddressRefused | HostUnreachable | undefined
  for (const { host, ...rest } of servers) {
    const addresses = yield* Effect.result(guard.admitHost(host, isOwnNetwork))
    if (addresses._tag === "Failure") failure = addresses.failure
    else for (const address of addresses.success.toSorted(byFamily)) found.push({ address, ...rest })
    if (found.length >= mostAddresses) break
  }
  if (found.length === 0 && failure !== undefined) return yield* Effect.fail(failure)
  return found.slice(0, mostAddresses)
})
