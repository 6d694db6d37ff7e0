/** The servers that offer a service of a domain, as its SRV and NAPTR records name them (RFC 2782, RFC 3403). */
import { Context, Effect, Layer, Random } from "effect"
import type { NaptrRecord, SrvRecord } from "node:dns"
import { Resolver } from "node:dns/promises"
import { patience } from "./AddressGuard.ts"

export interface ServiceHost {
  readonly host: string
  readonly port: number
}

/** One answer may have hundreds of records, each of which costs a look-up of its own. */
const mostServers = 8

/**
 * Orders the servers: the lowest priority first, and servers of one priority at random, by weight. Returns at most
 * `mostServers`.
 */
export const orderServers = Effect.fnUntraced(function* (records: ReadonlyArray<SrvRecord>) {
  const left = records
    // An empty name, which is the root, means that the domain does not offer the service.
    .filter(({ name }) => name !== "")
    // RFC 2782: records without a weight stand first, so that they have a small chance too.
    .toSorted((a, b) => a.priority - b.priority || a.weight - b.weight)
  const ordered: Array<ServiceHost> = []
  while (left[0] !== undefined && ordered.length < mostServers) {
    const { priority } = left[0]
    const equals = left.filter((record) => record.priority === priority)
    const sum = equals.reduce((total, { weight }) => total + weight, 0)
    let rest = yield* Random.nextIntBetween(0, sum)
    const found = equals.findIndex(({ weight }) => (rest -= weight) <= 0)
    const [{ name, port }] = left.splice(Math.max(0, found), 1) as [SrvRecord]
    ordered.push({ host: name, port })
  }
  return ordered
})

/** The records of an answer; none if there is no answer. */
const ask = <A>(servers: ReadonlyArray<string> | undefined, question: (resolver: Resolver) => Promise<Array<A>>) =>
  Effect.callback<ReadonlyArray<A>>((resume) => {
    const resolver = new Resolver(patience)
    if (servers !== undefined) resolver.setServers(servers)
    question(resolver).then(
      (records) => resume(Effect.succeed(records)),
      () => resume(Effect.succeed([])),
    )
    return Effect.sync(() => resolver.cancel())
  })

export interface WantedService {
  /** In upper case, such as `SIP+D2U`. */
  readonly service: string
  /** The domain of its SRV records. */
  readonly domain: string
}

/** The services that lead to SRV records, in the domain's order of preference. */
export const orderServices = (records: ReadonlyArray<NaptrRecord>): ReadonlyArray<WantedService> =>
  records
    .filter(({ flags, replacement }) => flags.toLowerCase() === "s" && replacement !== "")
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .map(({ replacement, service }) => ({ service: service.toUpperCase(), domain: replacement }))

export class ServiceRecords extends Context.Service<
  ServiceRecords,
  {
    /**
     * The servers of a service such as `_sip._udp.example.com`, in the order in which to try them. Empty if the domain
     * names none, or its name servers do not answer.
     */
    readonly find: (service: string) => Effect.Effect<ReadonlyArray<ServiceHost>>
    /** The services of a domain for which `isKnown` holds, the one it prefers first. Empty as for `find`. */
    readonly findServices: (
      domain: string,
      isKnown: (service: string) => boolean,
    ) => Effect.Effect<ReadonlyArray<WantedService>>
  }
>()("outbound/ServiceRecords") {
  /** `servers`: name servers to ask instead of the system's. */
  static readonly layerWith = (servers?: ReadonlyArray<string>) =>
    Layer.succeed(this, {
      find: (service) =>
        Effect.flatMap(
          ask(servers, (resolver) => resolver.resolveSrv(service)),
          orderServers,
        ),
      findServices: (domain, isKnown) =>
        Effect.map(
          ask(servers, (resolver) => resolver.resolveNaptr(domain)),
          (records) =>
            orderServices(records.filter(({ service }) => isKnown(service.toUpperCase()))).slice(0, mostServers),
        ),
    })

  static readonly layer = this.layerWith()
}
