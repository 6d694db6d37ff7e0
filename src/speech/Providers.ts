/** The installation's recogniser and voice: those of the providers whose settings are there. */
import { Effect, Layer, Option } from "effect"
import * as Deepgram from "./providers/Deepgram.ts"
import * as SpeechServer from "./providers/SpeechServer.ts"
import { SpeechToText } from "./SpeechToText.ts"
import { TextToSpeech } from "./TextToSpeech.ts"

/** A streaming recogniser is preferred: its words come earlier. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const deepgram = yield* Deepgram.make
    const server = yield* SpeechServer.make
    const recogniser = Option.orElse(deepgram, () => Option.map(server, ({ recogniser }) => recogniser))
    return Layer.merge(
      Layer.succeed(SpeechToText, recogniser),
      Layer.succeed(
        TextToSpeech,
        Option.map(server, ({ synthesiser }) => synthesiser),
      ),
    )
  }),
)
