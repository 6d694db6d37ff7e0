/**
 * The way out on SIGTERM (decisions §6, DRAIN_SECONDS): no new work and no new dial, streams end, conversations in
 * writing move to other processes, and other calls in progress get their time. What is left then is hung up as the rooms
 * close. This layer is built last of all, so it is closed first.
 */
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { Calls } from "./calls/Calls.ts"
import { Chats } from "./calls/visitors/Chats.ts"
import { Registrations } from "./calls/callers/Registrations.ts"
import { TrunkCallers } from "./calls/callers/TrunkCallers.ts"
import { TelnyxCallers } from "./calls/callers/TelnyxCallers.ts"
import { TwilioCallers } from "./calls/callers/TwilioCallers.ts"
import { CampaignSupervisor } from "./campaigns/dialling/CampaignSupervisor.ts"
import { Draining } from "./http/edge/Draining.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("DRAIN_SECONDS").pipe(Config.withDefault(30))
    const draining = yield* Draining
    const supervisor = yield* CampaignSupervisor
    const calls = yield* Calls
    const chats = yield* Chats
    const registrations = yield* Registrations
    const trunkCallers = yield* TrunkCallers
    const twilioCallers = yield* TwilioCallers
    const telnyxCallers = yield* TelnyxCallers
    const noneActive = calls.active.pipe(
      Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (active) => active === 0 }),
    )
    yield* Effect.addFinalizer(
      Effect.fnUntraced(function* () {
        yield* draining.begin
        yield* chats.giveUp
        yield* supervisor.halt
        yield* registrations.halt
        yield* trunkCallers.halt
        yield* twilioCallers.halt
        yield* telnyxCallers.halt
        const active = yield* calls.active
        if (active > 0)
          yield* Effect.logInfo("draining: waiting for calls in progress").pipe(Effect.annotateLogs({ calls: active }))
        yield* Effect.timeoutOption(noneActive, Duration.seconds(seconds))
        const left = yield* calls.leave
        if (left > 0)
          yield* Effect.annotateLogs(Effect.logInfo("draining: left calls to other processes"), { calls: left })
      }),
    )
  }),
)
