/** The setting of the music for callers who wait. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WaitingMusic } from "../../../src/calls/live/WaitingMusic.ts"
import { wavOf } from "../../../src/speech/Audio.ts"
import { generated } from "../../../src/speech/HoldMusic.ts"

const musicWith = (env: Record<string, string>) =>
  Effect.gen(function* () {
    return yield* WaitingMusic
  }).pipe(Effect.provide(WaitingMusic.layer), Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

it.effect("is Parley's own music, silence, or a file; any other is refused with the reason", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* musicWith({}), generated)
    assert.isNull(yield* musicWith({ PARLEY_HOLD_MUSIC: "off" }))
    const file = join(mkdtempSync(join(tmpdir(), "parley-music-")), "music.wav")
    writeFileSync(file, wavOf([Int16Array.from({ length: 320 }, (_, at) => at)], 8_000))
    const music = yield* musicWith({ PARLEY_HOLD_MUSIC: file })
    assert.strictEqual(music?.frame(8_000, 1)[0], 160)
    writeFileSync(file, "hello")
    assert.include((yield* Effect.flip(musicWith({ PARLEY_HOLD_MUSIC: file }))).message, "It is not a WAV file")
    const missing = yield* Effect.flip(musicWith({ PARLEY_HOLD_MUSIC: `${file}.mp3` }))
    assert.strictEqual(missing._tag, "MusicRefused")
  }),
)
