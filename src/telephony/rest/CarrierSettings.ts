/** The URLs of the carriers' interfaces, and the URLs at which carriers reach this installation. */
import { Config, Context, Data, Effect, Layer, Option } from "effect"

/** The URL is not encrypted: calls and their words could be read on the network. */
export class UrlRefused extends Data.TaggedError("UrlRefused")<{ readonly name: string; readonly url: string }> {
  override get message() {
    return `${this.name} is ${this.url}. It has to be an https URL; http is taken on loopback alone.`
  }
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns the URL without a slash at its end, so that a path can be appended. */
const urlOf = Effect.fnUntraced(function* (name: string, text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback.test(url.hostname))
  const isPlain = url !== undefined && url.search === "" && url.hash === "" && url.username === ""
  return yield* isSafe && isPlain ? Effect.succeed(text.replace(/\/+$/, "")) : new UrlRefused({ name, url: text })
})

export class CarrierSettings extends Context.Service<
  CarrierSettings,
  {
    readonly twilio_api_url: string
    readonly telnyx_api_url: string
    /** Null if it is not configured: no call can be placed then. */
    readonly public_url: string | null
    /**
     * Where carriers open media streams of this process's calls: a `wss` URL, or `ws` on loopback. Null if `public_url`
     * is.
     */
    readonly stream_url: string | null
  }
>()("telephony/rest/CarrierSettings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const twilio = yield* Config.NonEmptyString("TWILIO_API_URL").pipe(Config.withDefault("https://api.twilio.com"))
      const telnyx = yield* Config.NonEmptyString("TELNYX_API_URL").pipe(Config.withDefault("https://api.telnyx.com"))
      const own = yield* Config.option(Config.NonEmptyString("PARLEY_PUBLIC_URL"))
      const streams = yield* Config.option(Config.NonEmptyString("PARLEY_STREAM_URL"))
      const public_url = Option.isNone(own) ? null : yield* urlOf("PARLEY_PUBLIC_URL", own.value)
      const stream_url = Option.isNone(streams) ? public_url : yield* urlOf("PARLEY_STREAM_URL", streams.value)
      return {
        twilio_api_url: yield* urlOf("TWILIO_API_URL", twilio),
        telnyx_api_url: yield* urlOf("TELNYX_API_URL", telnyx),
        public_url,
        stream_url: public_url === null ? null : (stream_url?.replace(/^http/, "ws") ?? null),
      }
    }),
  )
}
