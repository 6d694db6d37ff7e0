/**
 * The language models that this installation can reach. A provider is available if the environment has its key or URL.
 */
import { Cache, Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Model } from "../../domain/Agent.ts"
import { costOf, ModelPrices, type Tokens } from "../../domain/ModelPrice.ts"
import { isVoiceModel } from "../../speech/VoiceModel.ts"
import * as Connections from "./Connections.ts"

const ModelName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_-]*\/.+$/u, { message: "must be a provider and a model, such as openai/gpt-5-mini" }),
)

const settings = Config.all({
  openai: Config.all({
    key: Config.option(Config.Redacted("OPENAI_API_KEY")),
    url: Config.option(Config.String("OPENAI_BASE_URL")),
  }),
  anthropic: Config.all({
    key: Config.option(Config.Redacted("ANTHROPIC_API_KEY")),
    url: Config.option(Config.String("ANTHROPIC_BASE_URL")),
  }),
  google: Config.all({
    key: Config.option(Config.Redacted("GOOGLE_GENERATIVE_AI_API_KEY")),
    url: Config.option(Config.String("GOOGLE_GENERATIVE_AI_BASE_URL")),
  }),
  compatible: Config.all({
    key: Config.option(Config.Redacted("OPENAI_COMPATIBLE_API_KEY")),
    url: Config.option(Config.String("OPENAI_COMPATIBLE_BASE_URL")),
  }),
  text: Config.schema(ModelName, "OPENAI_REALTIME_TEXT_MODEL").pipe(Config.withDefault("openai/gpt-4.1-mini")),
  fallback: Config.option(Config.schema(ModelName, "PARLEY_FALLBACK_MODEL")),
  prices: Config.schema(ModelPrices, "PARLEY_MODEL_PRICES").pipe(Config.withDefault<ModelPrices>({})),
})

export class Models extends Context.Service<
  Models,
  {
    /** None if this installation has no key for the provider. */
    readonly find: (model: Model) => Option.Option<Effect.Effect<LanguageModelV4>>
    /** The model that answers in text: OPENAI_REALTIME_TEXT_MODEL for a voice model, otherwise the model itself. */
    readonly inText: (model: Model) => Model
    /** The model to ask when an agent's own does not answer. */
    readonly fallback: Option.Option<Model>
    /** US dollars; 0 for a model without a price in PARLEY_MODEL_PRICES. */
    readonly cost: (model: Model, tokens: Tokens) => number
  }
>()("brain/model/Models") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { anthropic, compatible, fallback, google, openai, prices, text } = yield* settings
      const fetch = yield* Connections.make
      const offered = offerOver(fetch)
      const providers: Record<string, (id: string) => Effect.Effect<LanguageModelV4>> = {
        ...offered("openai", openai, (options) =>
          Effect.map(
            Effect.promise(() => import("@ai-sdk/openai")),
            (sdk) => sdk.createOpenAI(options),
          ),
        ),
        ...offered("anthropic", anthropic, (options) =>
          Effect.map(
            Effect.promise(() => import("@ai-sdk/anthropic")),
            (sdk) => sdk.createAnthropic(options),
          ),
        ),
        ...offered("google", google, (options) =>
          Effect.map(
            Effect.promise(() => import("@ai-sdk/google")),
            (sdk) => sdk.createGoogleGenerativeAI(options),
          ),
        ),
        ...offerCompatible(fetch, compatible),
      }
      const opened = yield* Cache.make({
        capacity: mostOpened,
        lookup: (name: string) => {
          const { id, provider } = modelOf(name)
          return providers[provider]?.(id) ?? Effect.die(new Error(`there is no provider ${provider}`))
        },
      })
      return Models.of({
        find: (model) =>
          Object.hasOwn(providers, model.provider) ? Option.some(Cache.get(opened, nameOf(model))) : Option.none(),
        inText: (model) => (isVoiceModel(model) ? modelOf(text) : model),
        fallback: Option.map(fallback, modelOf),
        cost: (model, tokens) => costOf(prices, nameOf(model), tokens),
      })
    }),
  )
}

/** Opened models are cached: opening one builds the schemas of its answers, a tenth of the work of a request. */
const mostOpened = 100

export const nameOf = ({ id, provider }: Model) => `${provider}/${id}`

const modelOf = (name: string): Model => ({
  provider: name.slice(0, name.indexOf("/")),
  id: name.slice(name.indexOf("/") + 1),
})

interface Access {
  readonly key: Option.Option<Redacted.Redacted>
  readonly url: Option.Option<string>
}

/** The packages are loaded at the first request: together they take 200 ms, and most starts need none. */
const offerOver =
  (fetch: typeof globalThis.fetch) =>
  (
    name: string,
    { key, url }: Access,
    load: (options: {
      readonly apiKey: string
      readonly baseURL?: string
      readonly fetch: typeof globalThis.fetch
    }) => Effect.Effect<(id: string) => LanguageModelV4>,
  ) =>
    Option.match(key, {
      onNone: () => ({}),
      onSome: (secret) => {
        const options = {
          fetch,
          apiKey: Redacted.value(secret),
          ...Option.match(url, { onNone: () => ({}), onSome: (baseURL) => ({ baseURL }) }),
        }
        return { [name]: (id: string) => Effect.map(load(options), (provider) => provider(id)) }
      },
    })

/** A server that speaks OpenAI's protocol. It is available if the environment has its URL; its key is optional. */
const offerCompatible = (fetch: typeof globalThis.fetch, { key, url }: Access) =>
  Option.match(url, {
    onNone: () => ({}),
    onSome: (baseURL) => {
      const options = {
        name: "openai-compatible",
        baseURL,
        fetch,
        includeUsage: true,
        ...Option.match(key, { onNone: () => ({}), onSome: (secret) => ({ apiKey: Redacted.value(secret) }) }),
      }
      return {
        [options.name]: (id: string) =>
          Effect.map(
            Effect.promise(() => import("@ai-sdk/openai-compatible")),
            (sdk) => sdk.createOpenAICompatible(options)(id),
          ),
      }
    },
  })
