/** The hold music of warm transfers (`PARLEY_HOLD_MUSIC`); null for silence. */
import { Config, Context, Data, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { generated, type Music, musicFrom, readWav } from "../../speech/HoldMusic.ts"

/** The file cannot be read or played. */
export class MusicRefused extends Data.TaggedError("MusicRefused")<{ readonly file: string; readonly why: string }> {
  override get message() {
    return `PARLEY_HOLD_MUSIC is ${this.file}. It has to be "on", "off" or a WAV file of 16 bits: ${this.why}.`
  }
}

const load = (file: string) =>
  Effect.try({
    try: () => {
      const { rate, samples } = readWav(readFileSync(file))
      return musicFrom(samples, rate)
    },
    catch: (fault) => new MusicRefused({ file, why: fault instanceof Error ? fault.message : String(fault) }),
  })

export class WaitingMusic extends Context.Service<WaitingMusic, Music | null>()("calls/live/WaitingMusic") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const setting = yield* Config.NonEmptyString("PARLEY_HOLD_MUSIC").pipe(Config.withDefault("on"))
      if (setting === "off") return null
      return setting === "on" ? generated : yield* load(setting)
    }),
  )
}
