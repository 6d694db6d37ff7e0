/** The client's address: the connection's, or the one that a trusted proxy reports in `X-Forwarded-For`. */
import { Config, Context, Effect, Layer, Schema } from "effect"
import { BlockList, isIP, isIPv4 } from "node:net"
import { commaList } from "../../identity/OidcSettings.ts"

/** IPv4 within IPv6 is written as IPv4, so that one client has one address. */
const plain = (address: string): string =>
  address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : "ipv6")

const isRange = (text: string): boolean => {
  const [address = "", prefix, more] = text.split("/")
  if (isIP(address) === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128))
}

const Ranges = Schema.String.check(
  Schema.makeFilter(
    (list) =>
      commaList(list).every(isRange) || "must be a comma list of addresses and ranges, such as 10.0.0.0/8, fd00::/8",
  ),
)
const TrustedProxies = Config.schema(Ranges, "PARLEY_TRUSTED_PROXIES").pipe(
  Config.withDefault(""),
  Config.map(commaList),
)

/** The address, or for IPv6 its /64 network, within which one subscriber can choose addresses. */
export const networkOf = (address = ""): string => {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address
  const [head = "", tail] = address.split("::")
  const before = head.split(":")
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length }, () => "0")
  return [...before, ...zeros].slice(0, 4).join(":")
}

/** The parts of a request that tell its origin. */
export interface Arrived {
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** An entry of `X-Forwarded-For`; some proxies add the port. */
const addressIn = (entry: string): string | undefined => {
  const text = entry.trim()
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? undefined : plain(address)
}

export class ClientAddress extends Context.Service<
  ClientAddress,
  {
    /** Undefined once the connection is gone. */
    readonly of: (incoming: Arrived) => string | undefined
  }
>()("http/ClientAddress") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const trusted = new BlockList()
      for (const range of yield* TrustedProxies) {
        const [address = "", prefix] = range.split("/")
        if (prefix === undefined) trusted.addAddress(address, familyOf(address))
        else trusted.addSubnet(address, Number(prefix), familyOf(address))
      }
      const isTrusted = (address: string) => trusted.check(address, familyOf(address))

      return {
        // Each proxy appends the address that it was reached from, so the last entry that is not a trusted proxy's is
        // the client's. The client itself may have sent the entries before it.
        of: ({ headers, socket }) => {
          if (socket.remoteAddress === undefined) return undefined
          let address = plain(socket.remoteAddress)
          const entries = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",")
          while (isTrusted(address)) {
            const before = addressIn(entries.pop() ?? "")
            if (before === undefined) break
            address = before
          }
          return address
        },
      }
    }),
  )
}
