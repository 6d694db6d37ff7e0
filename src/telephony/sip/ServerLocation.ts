/**
 * The addresses at which a trunk's server is reached, the first to try first (RFC 3263). A server with a port, or that is
 * an address itself, is where it says; a name alone is looked up by its SRV records, and without such records by its
 * addresses. NAPTR is not asked: the trunk says which transport to use.
 */
import { Effect } from "effect"
import { isIP } from "node:net"
import type { AddressGuard, AddressRefused, HostUnreachable } from "../../outbound/AddressGuard.ts"
import type { ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { defaultPort, type Transport } from "./Hop.ts"

export interface Server {
  readonly host: string
  /** Null: the one of its SRV records, or the transport's usual one. */
  readonly port: number | null
  readonly transport: Transport
}

export interface ServerAddress {
  readonly address: string
  readonly port: number
}

/** Each costs a call that fails some time. */
const mostAddresses = 8

const serviceOf: Record<Transport, string> = { udp: "_sip._udp", tcp: "_sip._tcp", tls: "_sips._tcp" }
export const services: ReadonlyArray<string> = Object.values(serviceOf)

interface Parts {
  readonly guard: AddressGuard["Service"]
  readonly records: ServiceRecords["Service"]
  readonly isOwnNetwork: (address: string) => boolean
}

/** Fails as the last of the server's names did, if none of them leads to an address. */
export const locate = Effect.fnUntraced(function* ({ host, port, transport }: Server, parts: Parts) {
  const { guard, isOwnNetwork, records } = parts
  const isExact = port !== null || isIP(host) !== 0
  const named = isExact ? [] : yield* records.find(`${serviceOf[transport]}.${host}`)
  const servers = named.length > 0 ? named : [{ host, port: port ?? defaultPort(transport) }]
  const found: Array<ServerAddress> = []
  let failure: AddressRefused | HostUnreachable | undefined
  for (const server of servers) {
    const addresses = yield* Effect.result(guard.admitHost(server.host, isOwnNetwork))
    if (addresses._tag === "Failure") failure = addresses.failure
    else for (const address of addresses.success) if (isIP(address) === 4) found.push({ address, port: server.port })
    if (found.length >= mostAddresses) break
  }
  if (found.length === 0 && failure !== undefined) return yield* Effect.fail(failure)
  return found.slice(0, mostAddresses)
})
