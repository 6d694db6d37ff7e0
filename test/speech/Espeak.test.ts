import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Stream } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { levelOf } from "../../src/speech/Audio.ts"
import * as Providers from "../../src/speech/Providers.ts"
import { TextToSpeech, type TtsOptions } from "../../src/speech/TextToSpeech.ts"
import { espeakFault } from "../support/Espeak.ts"
import { joined } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const isInstalled = espeakFault === undefined
const options: TtsOptions = { voice: { provider: "lab", id: "default", speed: 1 }, language: "en", rate: 8_000 }

const settings = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
const connected = (path: string) =>
  Providers.layer.pipe(Layer.provide(settings({ TTS_PROVIDERS: "espeak", PATH: path })))

const speak = (text: string, more: Partial<TtsOptions> = {}) =>
  Stream.unwrap(Effect.map(TextToSpeech, (there) => Option.getOrThrow(there).speak(text, { ...options, ...more })))
const soundOf = (text: string, more?: Partial<TtsOptions>) =>
  Effect.map(Stream.runCollect(speak(text, more)), (parts) => joined(...parts))

/** A folder with a program in place of espeak-ng, which lists the voice `en` and then does this. */
const standIn = (script: string) => {
  const folder = mkdtempSync(join(tmpdir(), "espeak-"))
  const file = join(folder, "espeak-ng")
  const list = 'if [ "$1" = --voices ]; then echo Header; echo " 5  en  --/M  English  gmw/en"; exit; fi'
  writeFileSync(file, `#!/bin/sh\n${list}\n${script}\n`)
  chmodSync(file, 0o755)
  return folder
}

/** Opens files until no descriptor is left and speaks a text; then closes them and speaks another one. */
const exhausted = `
  import { closeSync, openSync } from "node:fs"
  import { Effect, Stream } from "effect"
  import { make } from "./src/speech/providers/Espeak.ts"
  const { speak } = await Effect.runPromise(make)
  const options = { voice: { provider: "espeak", id: "en", speed: 1 }, language: "en", rate: 22050 }
  const spoken = Effect.map(Stream.runCollect(speak("Hello.", options)), (parts) => Array.from(parts).length)
  // What the first text loads is loaded before.
  await Effect.runPromise(spoken)
  const open = []
  try { while (true) open.push(openSync("/dev/null")) } catch {}
  // Not once: that a program which was not started is killed may hit this process, and mostly hits no other.
  for (let time = 0; time < 50; time++) await Effect.runPromise(Effect.flip(spoken))
  const { message } = await Effect.runPromise(Effect.flip(spoken))
  for (const one of open) closeSync(one)
  console.log(message + ". " + (await Effect.runPromise(spoken)) + " bytes")`

/** Runs the script with few file descriptors, in its own process group, and returns what it prints. */
const runExhausted = (path: string) =>
  new Promise<string>((resolve) => {
    const node = [process.execPath, "--no-warnings", "--input-type=module", "--eval", exhausted]
    const child = spawn("/bin/sh", ["-c", 'ulimit -n 128 && exec "$@"', "sh", ...node], {
      detached: true,
      env: { PATH: path },
      stdio: ["ignore", "pipe", "inherit"],
    })
    let said = ""
    child.stdout.on("data", (part) => (said += String(part)))
    child.on("close", (code, signal) => resolve(code === 0 ? said.trim() : `It ended with ${signal ?? code}`))
  })

const hasEnded = (pid: number) => {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

describe("espeak-ng", () => {
  const test = (name: string, body: () => Effect.Effect<void, unknown>) =>
    it.live.skipIf(!isInstalled)(name, () => Effect.provide(body(), connected("/usr/bin")))

  test("speaks at the line's rate, longer the longer the text", () =>
    Effect.gen(function* () {
      const short = yield* soundOf("Hello.")
      const long = yield* soundOf("We are open from Monday to Friday, from nine to five.")
      assert.isAbove(long.length, 2 * 8_000)
      assert.isAbove(long.length, short.length * 2)
      assert.isAbove(levelOf(short), -40)
    }))
  test("speaks faster, and in the language of the agent", () =>
    Effect.gen(function* () {
      const text = "Guten Tag, wir haben jeden Tag geöffnet."
      const german = yield* soundOf(text, { language: "de-AT" })
      const fast = yield* soundOf(text, { language: "de-AT", voice: { ...options.voice, speed: 2 } })
      assert.isBelow(fast.length, german.length * 0.7)
      assert.notDeepEqual(german, yield* soundOf(text))
      assert.notDeepEqual(
        german,
        yield* soundOf(text, { language: "de", voice: { provider: "espeak", id: "en-us", speed: 1 } }),
      )
    }))
  test("takes neither a text for an option nor a voice for a file", () =>
    Effect.gen(function* () {
      const said = yield* soundOf("--version", { voice: { provider: "espeak", id: "../../etc/passwd", speed: 1 } })
      assert.isAbove(said.length, 4_000)
    }))
  test("speaks eight texts at the same time, four after four", () =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(Array.from({ length: 8 }), () => soundOf("Hello there."), {
        concurrency: "unbounded",
      })
      assert.isTrue(all.every(({ length }) => length === all[0]?.length))
    }))

  it.live("fails a text whose program fails", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(soundOf("Hello."))
      assert.strictEqual(failed.message, "Not spoken: espeak-ng ended with 3")
    }).pipe(Effect.provide(connected(standIn("exit 3")))),
  )
  it("fails a text that comes when no file descriptor is free, and goes on", async () => {
    const said = await runExhausted(standIn("exit 0"))
    assert.strictEqual(said, "Not spoken: no file descriptor is free for espeak-ng. 0 bytes")
  })
  it.live("runs four processes at most, and ends those whose listener has gone", () => {
    const folder = standIn(`echo $$ >> "$(dirname "$0")/started"; exec sleep 60`)
    return Effect.gen(function* () {
      const failures = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.timeoutOption(Effect.flip(soundOf("Hello.")), 4_000),
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(
        failures.map(Option.map(({ message }) => message)).filter(Option.isSome),
        Array.from({ length: 2 }, () => Option.some("Not spoken: 4 espeak-ng processes are busy")),
      )
      const started = readFileSync(join(folder, "started"), "utf8").trim().split("\n").map(Number)
      assert.lengthOf(started, 4)
      yield* Effect.promise(() => until(() => started.every(hasEnded)))
    }).pipe(Effect.provide(connected(folder)))
  })
  it.live("says what to install where it is missing", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(Layer.build(connected("/nowhere")))
      assert.match(String(failed), /TTS_PROVIDERS names espeak, but there is no espeak-ng in PATH: install the package/)
    }).pipe(Effect.scoped),
  )
})

describe("the list of providers", () => {
  const failureWith = (env: Record<string, string>) =>
    Layer.build(Providers.layer.pipe(Layer.provide(settings(env)))).pipe(Effect.flip, Effect.map(String), Effect.scoped)

  it.live("names a provider that has no key", () =>
    Effect.gen(function* () {
      assert.match(
        yield* failureWith({ STT_PROVIDERS: "openai,deepgram", SPEECH_API_KEY: "sk" }),
        /STT_PROVIDERS names deepgram: set DEEPGRAM_API_KEY, or name another provider/,
      )
    }),
  )
  it.live("names the available providers", () =>
    Effect.gen(function* () {
      assert.match(
        yield* failureWith({ TTS_PROVIDERS: "festival" }),
        /must be a comma list of elevenlabs, openai, espeak/,
      )
    }),
  )
})
