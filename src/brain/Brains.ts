/** Chooses an agent's brain: the scripted one, or the language model that it names. */
import { Effect, Layer, Option, Stream } from "effect"
import type { AgentKit } from "../catalog/AgentKit.ts"
import { isVoiceModel } from "../speech/VoiceModel.ts"
import { Environment } from "../tenancy/Environment.ts"
import { Brain, BrainFailed, type TurnInput } from "./Brain.ts"
import * as ModelBrain from "./model/ModelBrain.ts"
import { Models } from "./model/Models.ts"
import * as ScriptedBrain from "./scripted/ScriptedBrain.ts"

export const layer = Layer.effect(
  Brain,
  Effect.gen(function* () {
    const models = yield* Models
    const environment = yield* Environment
    const inText = textOnly(models)
    const missing = new Set<string>()

    /**
     * In development the scripted brain answers if the provider has no key, so that a first try needs none. In
     * production a missing key is an error.
     */
    const standIn = (provider: string) =>
      Effect.suspend(() => {
        if (environment === "production") {
          return Effect.fail(new BrainFailed({ reason: `this installation has no key for the provider ${provider}` }))
        }
        if (missing.has(provider)) return Effect.void
        missing.add(provider)
        return Effect.logWarning("model has no key; using the scripted brain").pipe(Effect.annotateLogs({ provider }))
      })

    return {
      reply: (asked) => {
        const turn = inText(asked)
        const { model } = turn.briefing.kit.agent
        if (model.provider === "scripted") return ScriptedBrain.reply(turn)
        return Option.isSome(models.find(model))
          ? ModelBrain.reply(models, turn)
          : Stream.unwrap(Effect.as(standIn(model.provider), ScriptedBrain.reply(turn)))
      },
    }
  }),
).pipe(Layer.provide(Models.layer))

/**
 * Replaces an agent's voice model by its text model. Each kit has one copy, because caches use kits as keys, by
 * identity.
 */
const textOnly = (models: Models["Service"]) => {
  const copies = new WeakMap<AgentKit, AgentKit>()
  return (turn: TurnInput): TurnInput => {
    const { kit } = turn.briefing
    if (!isVoiceModel(kit.agent.model)) return turn
    const { agent } = kit
    const copy = copies.get(kit) ?? { ...kit, agent: { ...agent, model: models.inText(agent.model) } }
    copies.set(kit, copy)
    return { ...turn, briefing: { ...turn.briefing, kit: copy } }
  }
}
