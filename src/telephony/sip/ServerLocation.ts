/**
 * Locates a trunk's server: returns its addresses, the first to try first (RFC 3263). A server with a port, or with an
 * IP address, is used as it is. A bare name is looked up by its SRV records, or without any by its addresses. With
 * `auto`, NAPTR records decide the transport.
 */
import { Effect } from "effect"
import { isIP } from "node:net"
import type { AddressGuard, AddressRefused, HostUnreachable } from "../../outbound/AddressGuard.ts"
import type { ServiceHost, ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { defaultPort, type Place, type Transport } from "./Hop.ts"

export interface Server {
  readonly host: string
  /** Null: the port of the SRV records, or the transport's default. */
  readonly port: number | null
  /** `auto`: the transport that the server's DNS records ask for. */
  readonly transport: Transport | "auto"
}

/** The most addresses. Each costs a failing call some time. */
const mostAddresses = 8

const serviceOf: Record<Transport, string> = { udp: "_sip._udp", tcp: "_sip._tcp", tls: "_sips._tcp" }
/** The transports by their names in NAPTR records (RFC 3263 §4.1). */
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
 * Returns the servers of a name over the transports that its NAPTR records prefer. Without such records, the first
 * transport with SRV records is used. All look-ups run at once, because a silent name server costs seconds.
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

/** The most hosts of one trunk whose addresses are looked up. */
const mostHosts = 32

/** Returns every host in the DNS records of a trunk's name, over any transport: calls may come from each of them. */
const hostsOf = Effect.fnUntraced(function* (records: Records, name: string) {
  const find = (domains: ReadonlyArray<string>) => Effect.forEach(domains, records.find, { concurrency: "unbounded" })
  const wants = records.findServices(name, (service) => transportOf.has(service))
  const usual = Object.values(serviceOf).map((service) => `${service}.${name}`)
  const [wanted, offered] = yield* Effect.all([wants, find(usual)], { concurrency: 2 })
  const others = wanted.map(({ domain }) => domain).filter((domain) => !usual.includes(domain))
  const found = [...offered, ...(yield* find([...new Set(others)]))]
  return [...new Set(found.flat().map(({ host }) => host))].slice(0, mostHosts)
})

/** Adds to `found` each address of a trunk's name, and of the hosts in its records, as soon as it is known. */
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

/** IPv4 first: many trunks and networks are less tested over IPv6. */
const byFamily = (one: string, other: string): number => isIP(one) - isIP(other)

/** If none of the server's names has an address, fails with the fault of the last one. */
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
