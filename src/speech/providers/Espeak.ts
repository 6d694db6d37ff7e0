/**
 * espeak-ng as a voice: a local program that needs no key, started for each text. It sounds like a robot and is meant
 * for trying Parley out.
 */
import { Config, Data, Effect, Semaphore, Stream } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Readable, Writable } from "node:stream"
import { killChild } from "../../offload/KillChild.ts"
import { makeReader } from "../Audio.ts"
import { type SpeechSynthesiser, TtsFailed, type TtsOptions } from "../TextToSpeech.ts"

/** The provider's name. An agent whose voice names it gets the voice that it asks for, if espeak-ng has it. */
export const name = "espeak"
const program = "espeak-ng"
const fallbackVoice = "en"
const rate = 22_050
const wavHeaderBytes = 44

/** A text takes some 20 ms of one core, so more processes would not be faster. */
const mostProcesses = 4
/** How long a text waits for one of the processes. */
const turnWithinMs = 3_000
/** The longest text takes less than a second. */
const doneWithinMs = 10_000
const listWithinMs = 5_000

/** In words a minute. */
const normalSpeed = 175
const slowest = 80
const fastest = 450

class EspeakMissing extends Data.TaggedError("EspeakMissing")<{ readonly why: string }> {
  override get message() {
    return `TTS_PROVIDERS names ${name}, but ${this.why}: install the package ${program}, or name another provider`
  }
}

/** Makes the voice. Fails if the program is missing. */
export const make = Effect.gen(function* () {
  const path = yield* Config.String("PATH").pipe(Config.withDefault("/usr/bin:/bin"))
  const file = path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((candidate) => existsSync(candidate))
  if (file === undefined) return yield* new EspeakMissing({ why: `there is no ${program} in PATH` })
  const voices = yield* listVoices(file)
  const turns = yield* Semaphore.make(mostProcesses)
  const turn = turns.take(1).pipe(
    Effect.timeoutOrElse({
      duration: turnWithinMs,
      orElse: () => Effect.fail(new TtsFailed({ reason: `${mostProcesses} ${program} processes are busy` })),
    }),
  )
  const synthesiser: SpeechSynthesiser = {
    rates: [rate],
    speak: (text, options) =>
      Stream.unwrap(
        Effect.gen(function* () {
          yield* Effect.acquireRelease(turn, () => turns.release(1), { interruptible: true })
          return yield* speak(file, argumentsFor(voices, options), text)
        }),
      ),
  }
  return synthesiser
})

/** Lists the voices' names by language tag in lower case. */
const listVoices = (file: string) =>
  Effect.callback<ReadonlyMap<string, string>, EspeakMissing>((resume) => {
    execFile(file, ["--voices"], { env: {}, timeout: listWithinMs }, (error, list) =>
      resume(
        error === null
          ? Effect.succeed(voicesIn(list))
          : Effect.fail(new EspeakMissing({ why: `${file} --voices failed` })),
      ),
    )
  })

/** ` 5  cmn  --/M  Chinese_(Mandarin)  sit/cmn  (zh-cmn 5)(zh 5)`: one language, and others that the voice speaks. */
const voicesIn = (list: string): ReadonlyMap<string, string> => {
  const rows = list.split("\n").slice(1)
  const others = rows.flatMap((row) => Array.from(row.matchAll(/\(([\w-]+) \d+\)/gu), ([, tag = ""]) => tag))
  const own = rows.flatMap((row) => row.trim().split(/\s+/u).slice(1, 2))
  return new Map([...others, ...own].map((tag) => [tag.toLowerCase(), tag]))
}

/** Passes on only names from the list, because espeak-ng would take others for paths of files. */
const argumentsFor = (voices: ReadonlyMap<string, string>, { language, voice }: TtsOptions) => {
  const wanted = voice.provider === name ? [voice.id, ...tagsOf(language)] : tagsOf(language)
  const found = wanted.map((tag) => voices.get(tag.toLowerCase())).find((tag) => tag !== undefined)
  const speed = Math.round(Math.max(slowest, Math.min(fastest, normalSpeed * voice.speed)))
  return ["--stdin", "--stdout", "-b", "1", "-v", found ?? fallbackVoice, "-s", String(speed)]
}

/** `de-AT`, `de`. */
const tagsOf = (language: string): ReadonlyArray<string> => {
  const parts = language.split("-")
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("-"))
}

/** Sends the text over standard input: as an argument it could be taken for an option. */
const speak = (file: string, args: ReadonlyArray<string>, text: string) =>
  Effect.gen(function* () {
    const failed = (reason: string) => new TtsFailed({ reason })
    const { speaker } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const speaker: ChildProcess = spawn(file, args, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] })
        // The exit status reports failures.
        for (const end of [speaker, speaker.stdin, speaker.stdout]) end?.on("error", () => undefined)
        return { speaker, overdue: setTimeout(() => killChild(speaker), doneWithinMs) }
      }),
      ({ overdue, speaker }) =>
        Effect.sync(() => {
          clearTimeout(overdue)
          killChild(speaker)
        }),
    )
    const { stdin, stdout } = speaker
    // Node then makes no pipes, contrary to their types.
    if (!(stdin instanceof Writable && stdout instanceof Readable)) {
      return yield* failed(`no file descriptor is free for ${program}`)
    }
    // The program worked when this process started, so this text is the cause.
    const refused = (reason: string) => new TtsFailed({ reason, isRefused: true })
    const exited = Effect.callback<void, TtsFailed>((resume) => {
      const end = (code: number | null) =>
        resume(code === 0 ? Effect.void : Effect.fail(refused(`${program} ended with ${code ?? "a signal"}`)))
      if (speaker.exitCode !== null || speaker.signalCode !== null) return end(speaker.exitCode)
      speaker.once("exit", end)
      speaker.once("error", () => end(null))
    })
    stdin.end(text)
    const read = makeReader()
    let header = wavHeaderBytes
    return Stream.fromAsyncIterable<Uint8Array, TtsFailed>(stdout, () => failed("the sound broke off")).pipe(
      Stream.map((bytes) => {
        const sound = bytes.subarray(Math.min(header, bytes.length))
        header -= bytes.length - sound.length
        return read(sound)
      }),
      Stream.concat(Stream.fromEffectDrain(exited)),
    )
  })
