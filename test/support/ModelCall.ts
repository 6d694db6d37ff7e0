/** A call whose agent has a voice model, on a telephone in memory, in real time and without a database. */
import { ConfigProvider, Effect, Fiber, Layer, Option } from "effect"
import { Brain } from "../../src/brain/Brain.ts"
import * as CallSession from "../../src/calls/live/CallSession.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { lineSpeech } from "../../src/speech/LineSpeech.ts"
import * as Providers from "../../src/speech/Providers.ts"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import * as SoundLine from "../../src/telephony/SoundLine.ts"
import { kit as kitOf } from "./Kit.ts"
import { MemoryPath } from "./MemoryPath.ts"
import { type RealtimeStandIn, realtimeSettings } from "./RealtimeServer.ts"
import { sessionTo } from "./Sessions.ts"
import { joined, silence, spoken } from "./ToneCode.ts"
import { plainly } from "./ToneLine.ts"

/** Answers in text if the voice model is lost. */
const brain = Layer.succeed(Brain, {
  reply: () => {
    throw new Error("The brain is not asked")
  },
})

/** `settings` are those of the installation, added to the stand-in's. */
export const modelCall = Effect.fnUntraced(function* (
  standIn: RealtimeStandIn,
  { agent = {}, settings = {} }: { readonly agent?: object; readonly settings?: Record<string, string> } = {},
) {
  const env = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...realtimeSettings(standIn), ...settings }))
  const services = yield* Layer.build(Layer.provide(Layer.merge(Providers.layer, MediaClock.layer), env))
  const speech = Option.getOrThrow(yield* Effect.provideContext(lineSpeech, services))
  const path = new MemoryPath()
  const kit = kitOf()
  const model = { provider: "openai-realtime", id: "gpt-realtime" }
  const line = yield* Effect.provideContext(
    Effect.flatMap(MediaClock, (clock) => SoundLine.make({ ...speech, clock }, { ...plainly(path), model })),
    services,
  )
  const record = new CallRecord()
  const session = sessionTo("+14155550101", { ...kit, agent: { ...kit.agent, model, ...agent } }, { record })
  const incoming: CallSession.Talking = { ...session, call: { ...session.call, direction: "inbound" } }
  const talking = yield* Effect.forkScoped(CallSession.talk(incoming, line).pipe(Effect.provide(brain)))
  return {
    path,
    record,
    /** Says these words as tones. */
    say: (words: string) => path.say(Int16Array.from(joined(spoken(words, 16_000), silence(1_000, 16_000)))),
    ended: Fiber.join(talking),
  }
})
