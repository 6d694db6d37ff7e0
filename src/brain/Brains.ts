/** Chooses an agent's brain: the scripted one, or the language model that it names. */
import { Effect, Layer, Option, Stream } from "effect"
import { Environment } from "../tenancy/Environment.ts"
import { Brain, BrainFailed } from "./Brain.ts"
import * as ModelBrain from "./model/ModelBrain.ts"
import { Models } from "./model/Models.ts"
import * as ScriptedBrain from "./scripted/ScriptedBrain.ts"

export const layer = Layer.effect(
  Brain,
  Effect.gen(function* () {
    const models = yield* Models
    const environment = yield* Environment
    const missing = new Set<string>()

    /**
     * In development the scripted brain takes over if there is no key, so that a first try needs none. In production
     * that would be a surprise.
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
      reply: (turn) => {
        const { model } = turn.briefing.kit.agent
        if (model.provider === "scripted") return ScriptedBrain.reply(turn)
        return Option.isSome(models.find(model))
          ? ModelBrain.reply(models, turn)
          : Stream.unwrap(Effect.as(standIn(model.provider), ScriptedBrain.reply(turn)))
      },
    }
  }),
).pipe(Layer.provide(Models.layer))
