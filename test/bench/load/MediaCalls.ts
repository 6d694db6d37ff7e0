/**
 * A process with many calls over RTP, as the product runs them: lines with ear and playout on one clock. Only the
 * speech providers are replaced, at the telephone's rate: the agent repeats one sound for ever, and the caller's words
 * are dropped.
 */
import { ConfigProvider, Effect, Layer, Logger, Schedule, Stream } from "effect"
import * as VoiceDetection from "../../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../../src/telephony/MediaClock.ts"
import { pcmu } from "../../../src/speech/G711.ts"
import { MediaSettings } from "../../../src/telephony/rtp/MediaSettings.ts"
import { Ports } from "../../../src/telephony/rtp/Ports.ts"
import { RtpPath } from "../../../src/telephony/rtp/RtpPath.ts"
import { RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import * as SoundLine from "../../../src/telephony/SoundLine.ts"

export interface Question {
  readonly calls: number
  readonly first: number
  readonly peer: number
  readonly seconds: number
  /** The share of the thread's time that other work takes. */
  readonly otherWork: number
}

export interface Answer {
  /** The share of one core used after a warm-up. */
  readonly cpu: number
  /** The share of it used by the kernel. */
  readonly kernel: number
  readonly received: number
  readonly lost: number
  readonly late: number
}

const loopback = "127.0.0.1"
const warmUpSeconds = 3
const { calls, first, otherWork, peer, seconds }: Question = JSON.parse(process.argv[2] ?? "")

const rates = [8_000] as const
/** One second of a tone that swells and fades. */
const voice = Int16Array.from({ length: 8_000 }, (_, at) => 6_000 * Math.sin(at * 0.12) * Math.sin(at / 1_300))

const equipment = {
  recogniser: {
    rates,
    open: () => Effect.succeed({ push: () => {}, finalise: () => {}, discard: () => {}, results: Stream.never }),
  },
  // Slightly faster than real time.
  synthesiser: {
    rates,
    speak: () => Stream.fromSchedule(Schedule.spaced("900 millis")).pipe(Stream.map(() => voice)),
  },
}

const call = Effect.gen(function* () {
  const session = yield* (yield* RtpSessions).open({ localAddress: loopback, isOwnNetwork: () => true })
  yield* session.agree({
    remote: { host: loopback, port: peer, rtcpPort: peer + 1 },
    codec: pcmu,
    payloadType: 0,
    keys: null,
    comfortNoise: null,
    sends: true,
    receives: true,
    srtp: null,
  })
  const line = yield* SoundLine.make(
    { ...equipment, clock: yield* MediaClock, detection: yield* VoiceDetection.VoiceDetection },
    {
      account: "bench",
      path: new RtpPath(session),
      language: "en",
      voice: { provider: "bench", id: "default", speed: 1 },
      first_word_ms: 0,
      meetsMachines: false,
      onlooker: null,
    },
  )
  yield* line.play({ id: 1, text: "A long story.", interruptible: true })
  return session
})

/** Bursts of 1 to 3 ms, like requests, and one of 12 ms each second. */
const work = (share: number) => {
  const burn = (ms: number) => {
    const until = performance.now() + ms
    while (performance.now() < until) JSON.parse(JSON.stringify(Array.from({ length: 40 }, (_, at) => ({ at }))))
  }
  const next = (burst: number) => {
    burn(burst)
    setTimeout(next, (burst * (1 - share)) / share, 1 + ((burst * 7) % 2))
  }
  next(1)
  setInterval(() => burn(12), 1_000)
}

const measured = Effect.gen(function* () {
  const sessions = yield* Effect.replicateEffect(Effect.andThen(Effect.sleep("4 millis"), call), calls)
  if (otherWork > 0) work(otherWork)
  yield* Effect.sleep(`${warmUpSeconds} seconds`)
  const [began, before] = [performance.now(), process.cpuUsage()]
  yield* Effect.sleep(`${seconds - warmUpSeconds} seconds`)
  const { system, user } = process.cpuUsage(before)
  const wall = (performance.now() - began) * 1_000
  const qualities = sessions.map((session) => session.quality())
  const sum = (name: "received" | "lost" | "late") => qualities.reduce((total, quality) => total + quality[name], 0)
  return {
    cpu: (user + system) / wall,
    kernel: system / wall,
    received: sum("received"),
    lost: sum("lost"),
    late: sum("late"),
  } satisfies Answer
})

const env = { PARLEY_MEDIA_PORTS: `${first}-${first + 2 * calls - 1}` }
const layer = RtpSessions.layer.pipe(
  Layer.provideMerge(Ports.layer),
  Layer.provideMerge([MediaClock.layer, VoiceDetection.layer]),
  Layer.provide(MediaSettings.layer),
  // The answer alone is printed to the standard output.
  Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true)),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
)
console.log(JSON.stringify(await Effect.runPromise(measured.pipe(Effect.scoped, Effect.provide(layer)))))
process.exit(0)
