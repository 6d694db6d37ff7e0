/**
 * The settings of SIP: where it listens, the addresses that it tells peers, and the networks of the operator's own
 * trunks.
 */
import { Config, Context, Data, Effect, Layer, Option } from "effect"
import { readFileSync } from "node:fs"
import { BlockList, isIP } from "node:net"
import { readHosts } from "../PublicHosts.ts"

export class SipNetworkRefused extends Data.TaggedError("SipNetworkRefused")<{ readonly text: string }> {
  override get message() {
    return `PARLEY_SIP_NETWORKS has "${this.text}". Write networks as 10.1.0.0/16 or 2001:db8::/32, or single addresses, with commas in between.`
  }
}

export class SipCertificateMissing extends Data.TaggedError("SipCertificateMissing")<{ readonly why: string }> {
  override get message() {
    return `${this.why} Set both PARLEY_SIP_TLS_CERT and PARLEY_SIP_TLS_KEY to readable PEM files, or neither.`
  }
}

export interface SipListener {
  readonly port: number
  /**
   * The addresses that peers are told, one of each family. If empty, a peer is told the local address that routes to
   * it.
   */
  readonly hosts: ReadonlyArray<string>
  readonly tls: { readonly port: number; readonly cert: string; readonly key: string } | null
}

export class SipSettings extends Context.Service<
  SipSettings,
  {
    /** Null: SIP is off. */
    readonly listener: SipListener | null
    /** Whether the operator has trunks at this address, even if it is not public. */
    readonly isOwnNetwork: (address: string) => boolean
  }
>()("telephony/sip/SipSettings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const port = yield* Config.option(Config.Port("PARLEY_SIP_PORT"))
      const tlsPort = yield* Config.Port("PARLEY_SIP_TLS_PORT").pipe(Config.withDefault(5_061))
      const hosts = readHosts(yield* Config.String("PARLEY_SIP_HOST").pipe(Config.withDefault("")))
      const networks = yield* Config.String("PARLEY_SIP_NETWORKS").pipe(Config.withDefault(""))
      const own = yield* readNetworks(networks)
      const certificate = yield* certificateOf
      const tls = certificate === null ? null : { port: tlsPort, ...certificate }
      return {
        listener: Option.isNone(port) ? null : { port: port.value, hosts, tls },
        isOwnNetwork: (address: string) => isIP(address) !== 0 && own.check(address, familyOf(address)),
      }
    }),
  )
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

const readNetworks = Effect.fnUntraced(function* (networks: string) {
  const list = new BlockList()
  for (const text of networks.split(",").map((part) => part.trim())) {
    if (text === "") continue
    const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const most = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || Number(bits ?? 0) > most) return yield* new SipNetworkRefused({ text })
    list.addSubnet(address, bits === undefined ? most : Number(bits), familyOf(address))
  }
  return list
})

const certificateOf = Effect.gen(function* () {
  const paths = yield* Effect.all([
    Config.option(Config.NonEmptyString("PARLEY_SIP_TLS_CERT")),
    Config.option(Config.NonEmptyString("PARLEY_SIP_TLS_KEY")),
  ])
  const [cert, key] = paths
  if (Option.isNone(cert) && Option.isNone(key)) return null
  if (Option.isNone(cert) || Option.isNone(key))
    return yield* new SipCertificateMissing({ why: "Only one of the certificate and its key is set." })
  const read = (path: string) =>
    Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: () => new SipCertificateMissing({ why: `${path} cannot be read.` }),
    })
  return { cert: yield* read(cert.value), key: yield* read(key.value) }
})
