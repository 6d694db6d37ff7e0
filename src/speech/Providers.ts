/**
 * Builds the installation's recogniser, voice and voice model from the providers that its settings name or have keys
 * for.
 */
import { Config, Data, Effect, Layer, Option, Schema } from "effect"
import * as Deepgram from "./providers/Deepgram.ts"
import * as ElevenLabs from "./providers/ElevenLabs.ts"
import * as Espeak from "./providers/Espeak.ts"
import * as FallbackRecogniser from "./providers/FallbackRecogniser.ts"
import * as FallbackVoice from "./providers/FallbackVoice.ts"
import * as NoWords from "./providers/NoWords.ts"
import * as SpeechServer from "./providers/SpeechServer.ts"
import * as OpenAiRealtime from "./realtime/OpenAiRealtime.ts"
import { type SpeechRecogniser, SpeechToText } from "./SpeechToText.ts"
import { type SpeechSynthesiser, TextToSpeech } from "./TextToSpeech.ts"

/** In the default order. A streaming recogniser comes first, because its words arrive earlier. */
const recognisers = ["deepgram", "openai", "none"] as const
const voices = ["elevenlabs", "openai", "espeak"] as const

const keysOf: Record<string, string> = {
  deepgram: "DEEPGRAM_API_KEY",
  elevenlabs: "ELEVENLABS_API_KEY",
  openai: "SPEECH_API_KEY or SPEECH_BASE_URL",
}

const namesIn = (list: string): ReadonlyArray<string> => [...new Set(list.split(",").map((name) => name.trim()))]

/** A comma list of some of these names. */
const listOf = (known: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter(
      (list) => namesIn(list).every((name) => known.includes(name)) || `must be a comma list of ${known.join(", ")}`,
    ),
  )

const none: ReadonlyArray<string> = []
const settings = Config.all({
  stt: Config.schema(listOf(recognisers), "STT_PROVIDERS").pipe(Config.map(namesIn), Config.withDefault(none)),
  tts: Config.schema(listOf(voices), "TTS_PROVIDERS").pipe(Config.map(namesIn), Config.withDefault(none)),
})

class ProviderUnset extends Data.TaggedError("ProviderUnset")<{
  readonly setting: string
  readonly provider: string
}> {
  override get message() {
    return `${this.setting} names ${this.provider}: set ${keysOf[this.provider]}, or name another provider`
  }
}

interface Choice<Name extends string, A> {
  readonly setting: string
  /** The names in the setting; empty if it is not set. */
  readonly named: ReadonlyArray<string>
  readonly known: ReadonlyArray<Name>
  readonly configured: Readonly<Record<Name, Option.Option<A>>>
}

/** Returns the named providers, or without names all configured ones. Fails if a named provider is not configured. */
const choose = <Name extends string, A>({ configured, known, named, setting }: Choice<Name, A>) =>
  Effect.gen(function* () {
    const chosen = new Map<string, A>()
    for (const name of named.length > 0 ? named.flatMap((one) => known.filter((name) => name === one)) : known) {
      const provider = configured[name]
      if (Option.isSome(provider)) chosen.set(name, provider.value)
      else if (named.length > 0) return yield* new ProviderUnset({ setting, provider: name })
    }
    return chosen
  })

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { stt, tts } = yield* settings
    const server = yield* SpeechServer.make
    // It needs no key, so it is used only where it is named.
    const espeak = tts.includes(Espeak.name) ? Option.some(yield* Espeak.make) : Option.none()
    const listeners = yield* choose<(typeof recognisers)[number], SpeechRecogniser>({
      setting: "STT_PROVIDERS",
      named: stt,
      known: recognisers,
      configured: {
        [Deepgram.name]: yield* Deepgram.make,
        [SpeechServer.name]: Option.map(server, ({ recogniser }) => recogniser),
        [NoWords.name]: stt.includes(NoWords.name) ? Option.some(NoWords.recogniser) : Option.none(),
      },
    })
    const speakers = yield* choose<(typeof voices)[number], SpeechSynthesiser>({
      setting: "TTS_PROVIDERS",
      named: tts,
      known: voices,
      configured: {
        [ElevenLabs.name]: yield* ElevenLabs.make,
        [SpeechServer.name]: Option.map(server, ({ synthesiser }) => synthesiser),
        [Espeak.name]: espeak,
      },
    })
    return Layer.mergeAll(
      OpenAiRealtime.layer,
      Layer.succeed(
        SpeechToText,
        listeners.size === 0 ? Option.none() : Option.some(FallbackRecogniser.make(listeners)),
      ),
      Layer.succeed(TextToSpeech, speakers.size === 0 ? Option.none() : Option.some(FallbackVoice.make(speakers))),
    )
  }),
)
