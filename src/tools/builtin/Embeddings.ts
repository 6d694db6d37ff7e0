/** Embeddings: vectors that compare texts by meaning. An optional model of a provider makes them for lookup_faq. */
import type { EmbeddingModel } from "ai"
import { Clock, Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"

const ModelName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_-]*\/.+$/u, {
    message: "must be a provider and a model, such as openai/text-embedding-3-small",
  }),
)

const access = (prefix: string) =>
  Config.all({
    key: Config.option(Config.Redacted(`${prefix}_API_KEY`)),
    url: Config.option(Config.String(`${prefix}_BASE_URL`)),
  })

const settings = Config.all({
  model: Config.option(Config.schema(ModelName, "PARLEY_EMBEDDING_MODEL")),
  likeness: Config.schema(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    "PARLEY_EMBEDDING_LIKENESS",
  ).pipe(Config.withDefault(0.5)),
  openai: access("OPENAI"),
  google: access("GOOGLE_GENERATIVE_AI"),
  compatible: access("OPENAI_COMPATIBLE"),
})

export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  reason: Schema.String,
  /** The provider refused these texts. It still serves others. */
  is_refused: Schema.Boolean,
}) {
  override get message() {
    return `No embedding: ${this.reason}`
  }
}

/** A vector of length 1, so that the dot product of two is their similarity, at most 1. */
export type Embedding = ReadonlyArray<number>

export interface EmbeddingSource {
  /** `provider/model`. */
  readonly model: string
  /** The least similarity of a question and an FAQ. Models differ in their scales. */
  readonly likeness: number
  /** Returns one vector for each text, in the order of the texts. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Embedding>, EmbeddingFailed>
}

/**
 * A provider that has failed is not asked again for this many milliseconds, because callers wait on the line for it. If
 * it has refused one account's texts, the other accounts may still ask it.
 */
const restMs = 30_000
/** Statuses that concern the texts of a request: unreadable, too long, unprocessable. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 422])

export const Embeddings = Context.Reference<Option.Option<EmbeddingSource>>("tools/builtin/Embeddings", {
  defaultValue: Option.none,
})

type Access = Config.Success<ReturnType<typeof access>>
type Settings = Config.Success<typeof settings>

export const layer = Layer.effect(
  Embeddings,
  Effect.gen(function* () {
    const found = yield* settings
    if (Option.isNone(found.model)) return Option.none()
    const model = found.model.value
    const open = openerOf(found, model)
    if (open !== undefined) return Option.some(sourceOf(model, found.likeness, open))
    yield* Effect.logWarning("PARLEY_EMBEDDING_MODEL names a provider that has no key or no embeddings")
    return Option.none()
  }),
)

const sourceOf = (model: string, likeness: number, open: Effect.Effect<EmbeddingModel>): EmbeddingSource => {
  let restsUntil = 0
  const ask = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
    const { APICallError, embedMany } = yield* Effect.promise(() => import("ai"))
    const opened = yield* open
    const { embeddings } = yield* Effect.tryPromise({
      try: (abortSignal) => embedMany({ model: opened, values: [...texts], maxRetries: 0, abortSignal }),
      // Takes only the message of a provider's error: the error also has the request with spoken words, and headers
      // with the key.
      catch: (error) =>
        new EmbeddingFailed({
          reason: error instanceof Error ? error.message : String(error),
          is_refused: APICallError.isInstance(error) && refusals.has(error.statusCode),
        }),
    })
    return yield* Effect.forEach(embeddings, ofLengthOne)
  })
  const embed: EmbeddingSource["embed"] = Effect.fn("Embeddings.embed")(function* (texts) {
    const now = yield* Clock.currentTimeMillis
    if (now < restsUntil) {
      return yield* new EmbeddingFailed({ reason: "the provider has just failed", is_refused: false })
    }
    return yield* ask(texts).pipe(
      Effect.tapError(({ is_refused, reason }) =>
        Effect.andThen(
          Effect.sync(() => {
            if (!is_refused) restsUntil = now + restMs
          }),
          Effect.logWarning("embedding provider failed; FAQ search falls back to words").pipe(
            Effect.annotateLogs({ model, why: reason }),
          ),
        ),
      ),
    )
  })
  return { model, likeness, embed }
}

const ofLengthOne = (numbers: ReadonlyArray<number>) => {
  const length = Math.hypot(...numbers)
  return length > 0 && Number.isFinite(length)
    ? Effect.succeed(numbers.map((number) => number / length))
    : new EmbeddingFailed({ reason: "the provider answered numbers without a direction", is_refused: false })
}

/** The packages are loaded with the first text. Undefined if the provider has no key here, or no embeddings. */
const openerOf = (
  { compatible, google, openai }: Settings,
  name: string,
): Effect.Effect<EmbeddingModel> | undefined => {
  const provider = name.slice(0, name.indexOf("/"))
  const id = name.slice(name.indexOf("/") + 1)
  if (provider === "openai" && Option.isSome(openai.key)) {
    return Effect.promise(async () =>
      (await import("@ai-sdk/openai")).createOpenAI(optionsOf(openai)).embeddingModel(id),
    )
  }
  if (provider === "google" && Option.isSome(google.key)) {
    return Effect.promise(async () =>
      (await import("@ai-sdk/google")).createGoogleGenerativeAI(optionsOf(google)).embeddingModel(id),
    )
  }
  if (provider === "openai-compatible" && Option.isSome(compatible.url)) {
    const baseURL = compatible.url.value
    return Effect.promise(async () =>
      (await import("@ai-sdk/openai-compatible"))
        .createOpenAICompatible({ ...optionsOf(compatible), name: provider, baseURL })
        .embeddingModel(id),
    )
  }
  return undefined
}

const optionsOf = ({ key, url }: Access) => ({
  ...Option.match(key, { onNone: () => ({}), onSome: (secret) => ({ apiKey: Redacted.value(secret) }) }),
  ...Option.match(url, { onNone: () => ({}), onSome: (baseURL) => ({ baseURL }) }),
})
