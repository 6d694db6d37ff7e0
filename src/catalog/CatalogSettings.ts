/** What the configuration says about new agents, tools and numbers. */
import { Config, Context, Layer } from "effect"
import type { Model, Voice } from "../domain/Agent.ts"

const settings = Config.all({
  environment: Config.Literals(["development", "production"], "PARLEY_ENV").pipe(Config.withDefault("development")),
  lab: Config.Boolean("PARLEY_LAB").pipe(Config.withDefault(false)),
  voiceProvider: Config.NonEmptyString("PARLEY_DEFAULT_VOICE_PROVIDER").pipe(Config.withDefault("lab")),
  voiceId: Config.NonEmptyString("PARLEY_DEFAULT_VOICE_ID").pipe(Config.withDefault("default")),
  modelProvider: Config.NonEmptyString("PARLEY_DEFAULT_MODEL_PROVIDER").pipe(Config.withDefault("scripted")),
  modelId: Config.NonEmptyString("PARLEY_DEFAULT_MODEL_ID").pipe(Config.withDefault("scripted")),
})

export class CatalogSettings extends Context.Service<
  CatalogSettings,
  {
    /** The voice and the model of an agent that names none. */
    readonly voice: Voice
    readonly model: Model
    /** Whether an http tool's URL may be plain http (decisions §2, Tool). */
    readonly plainHttp: boolean
    /** Whether numbers of the simulated network may be created. */
    readonly labNumbers: boolean
  }
>()("catalog/CatalogSettings") {
  static readonly layer = Layer.effect(
    this,
    Config.map(settings, ({ environment, lab, modelId, modelProvider, voiceId, voiceProvider }) => ({
      voice: { provider: voiceProvider, id: voiceId, speed: 1 },
      model: { provider: modelProvider, id: modelId },
      plainHttp: environment === "development",
      labNumbers: environment === "development" || lab,
    })),
  )
}
