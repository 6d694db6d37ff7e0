/** Where this process receives RTP: the addresses that it tells peers, and the range of ports. */
import { Config, Context, Data, Effect, Layer } from "effect"
import { isIP } from "node:net"
import { readHosts } from "../PublicHosts.ts"

export class MediaSettingRefused extends Data.TaggedError("MediaSettingRefused")<{
  readonly name: string
  readonly value: string
  readonly demand: string
}> {
  override get message() {
    return `${this.name} is "${this.value}". ${this.demand}`
  }
}

export interface PortRange {
  readonly first: number
  readonly last: number
}

const lowest = 1_024
const highest = 65_535

/** Null if the text is not a range, or if the range has no even port with the odd one above it. */
const rangeIn = (text: string): PortRange | null => {
  const [, first = "", last = ""] = /^(\d{4,5})-(\d{4,5})$/.exec(text.trim()) ?? []
  const range = { first: Number(first), last: Number(last) }
  const hasPair = range.first + (range.first % 2) + 1 <= range.last
  return range.first >= lowest && range.last <= highest && hasPair ? range : null
}

export class MediaSettings extends Context.Service<
  MediaSettings,
  {
    /**
     * The addresses for session descriptions, one of each family. If empty, a description has the local address that
     * routes to the peer.
     */
    readonly hosts: ReadonlyArray<string>
    readonly ports: PortRange
  }
>()("telephony/rtp/MediaSettings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const host = yield* Config.String("PARLEY_MEDIA_HOST").pipe(Config.withDefault(""))
      const hosts = readHosts(host)
      const text = yield* Config.NonEmptyString("PARLEY_MEDIA_PORTS").pipe(Config.withDefault("20000-29999"))
      const ports = rangeIn(text)
      if (hosts.some((one) => isIP(one) === 0)) {
        const demand =
          "Write the IP address at which carriers reach this machine, or one of each family with a comma in between, since many carriers accept no host name in SDP."
        return yield* new MediaSettingRefused({ name: "PARLEY_MEDIA_HOST", value: host, demand })
      }
      if (ports === null) {
        const demand = `Write a range between ${lowest} and ${highest} with at least an even port and the odd one above it, as 20000-29999.`
        return yield* new MediaSettingRefused({ name: "PARLEY_MEDIA_PORTS", value: text, demand })
      }
      return { hosts, ports }
    }),
  )
}
