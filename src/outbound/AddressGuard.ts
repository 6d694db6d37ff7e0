/**
 * Restricts the URLs that accounts configure to public addresses. A name is resolved once, all its addresses are
 * checked, and the connection goes to a checked address. A name that resolves differently a moment later therefore
 * gains nothing.
 */
import { Config, Context, Effect, Layer, Schema } from "effect"
import ipaddr from "ipaddr.js"
import { Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { Environment } from "../tenancy/Environment.ts"

const allowLoopback = Config.Boolean("PARLEY_HTTP_TOOL_ALLOW_LOOPBACK").pipe(Config.withDefault(false))

/** The message has no more detail, because detail would describe the internal network to an outsider. */
export class HostUnreachable extends Schema.TaggedError<HostUnreachable>()("HostUnreachable", {}) {
  override get message() {
    return "The server could not be reached"
  }
}

export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {}) {
  override get message() {
    return "The URL leads to an address that is not allowed. Use https and a public address"
  }
}

/** All addresses of a host's name. */
export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<string>, HostUnreachable>

/** Milliseconds to wait for a name server's answer, and how often it is asked. */
export const patience = { timeout: 2_000, tries: 2 }

/**
 * Asks the name servers directly (the system's, unless others are given) instead of `getaddrinfo`, which holds one of
 * the process's four threads while it waits: four names with silent servers would stop every other look-up.
 */
export const fromNameServers =
  (servers?: ReadonlyArray<string>): Resolve =>
  (hostname) => {
    if (isLocal(hostname)) return Effect.succeed(["127.0.0.1", "::1"])
    return Effect.callback<ReadonlyArray<string>, HostUnreachable>((resume) => {
      const resolver = new Resolver(patience)
      if (servers !== undefined) resolver.setServers(servers)
      void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then((answers) => {
        const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
        resume(found.length === 0 ? Effect.fail(new HostUnreachable()) : Effect.succeed(found))
      })
      return Effect.sync(() => resolver.cancel())
    })
  }

/** RFC 6761: such names mean this machine, whatever a resolver answers. */
const isLocal = (hostname: string): boolean => /(?:^|\.)localhost\.?$/u.test(hostname)

export interface Admitted {
  readonly url: URL
  /**
   * Gives the socket the checked addresses instead of asking DNS. A host that is itself an address is not looked up; it
   * was checked as it is.
   */
  readonly lookup: LookupFunction
}

export class AddressGuard extends Context.Service<
  AddressGuard,
  {
    readonly admit: (url: string) => Effect.Effect<Admitted, AddressRefused | HostUnreachable>
    /**
     * The addresses of a host that is reached by another protocol than HTTP. `permits`: whether the operator allows an
     * address that is not public.
     */
    readonly admitHost: (
      hostname: string,
      permits: (address: string) => boolean,
    ) => Effect.Effect<ReadonlyArray<string>, AddressRefused | HostUnreachable>
  }
>()("outbound/AddressGuard") {
  static readonly layerWith = (resolve: Resolve) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const development = (yield* Environment) === "development"
        const loopback = (yield* allowLoopback) && development
        const admits = (address: string) => {
          const range = rangeOf(address)
          return range === "public" || (range === "loopback" && loopback)
        }
        const addressesOf = (hostname: string) => {
          const literal = hostname.replace(/^\[(.*)\]$/u, "$1")
          if (isIP(literal) !== 0) return Effect.succeed([literal])
          return !loopback && isLocal(hostname) ? new AddressRefused() : resolve(hostname)
        }
        const admit = Effect.fn("AddressGuard.admit")(function* (text: string) {
          const url = URL.canParse(text) ? new URL(text) : undefined
          if (url === undefined || url.username !== "" || url.password !== "") return yield* new AddressRefused()
          if (url.protocol !== "https:" && !(development && url.protocol === "http:"))
            return yield* new AddressRefused()
          const addresses = yield* addressesOf(url.hostname)
          if (addresses.length === 0) return yield* new HostUnreachable()
          if (!addresses.every(admits)) return yield* new AddressRefused()
          return { url, lookup: pinTo(addresses) }
        })
        const admitHost = Effect.fn("AddressGuard.admitHost")(function* (
          hostname: string,
          permits: (address: string) => boolean,
        ) {
          const addresses = isIP(hostname) === 0 ? yield* resolve(hostname) : [hostname]
          const isAllowed = (address: string) => rangeOf(address) === "public" || permits(address)
          return addresses.every(isAllowed) ? addresses : yield* new AddressRefused()
        })
        return { admit, admitHost }
      }),
    )

  static readonly layer = this.layerWith(fromNameServers())
}

const pinTo = (addresses: ReadonlyArray<string>): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first = { address: "", family: 0 }] = all
  return (_, options, answer) => (options.all === true ? answer(null, all) : answer(null, first.address, first.family))
}

/** Whether the text is an address of the public internet. False for a text that is not an address. */
export const isPublic = (address: string): boolean => rangeOf(address) === "public"

type Range = "public" | "loopback" | "other"

/** Azure's own services answer at this address, which lies in a public range. */
const azurePlatform = "168.63.129.16"
/** The only part of IPv6 that is assigned for global use. Without this check, `::127.0.0.1` would pass as unicast. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")
/** RFC 6052: the prefix of IPv4 addresses in a network that has only IPv6. */
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

const rangeOf = (address: string): Range => {
  switch (isIP(address)) {
    case 4:
      return rangeOfIPv4(ipaddr.IPv4.parse(address))
    case 6:
      return rangeOfIPv6(address)
    default:
      return "other"
  }
}

const rangeOfIPv4 = (address: ipaddr.IPv4): Range => {
  const range = address.range()
  if (range === "loopback") return range
  return range === "unicast" && address.toString() !== azurePlatform ? "public" : "other"
}

/** An IPv4 address inside an IPv6 one is judged as IPv4. 6to4 and Teredo lead elsewhere and never count as public. */
const rangeOfIPv6 = (text: string): Range => {
  // The parser takes every IPv6 address with dots for an IPv4-mapped one. A URL writes it in hexadecimal, and allows no
  // zone.
  const url = `http://[${text}]`
  if (!URL.canParse(url)) return "other"
  const address = ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1))
  if (address.isIPv4MappedAddress()) return rangeOfIPv4(address.toIPv4Address())
  if (address.match(nat64)) {
    const embedded = rangeOfIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
    return embedded === "public" ? embedded : "other"
  }
  const range = address.range()
  if (range === "loopback") return range
  return range === "unicast" && address.match(globalUnicast) ? "public" : "other"
}
