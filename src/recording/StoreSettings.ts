/** The settings of the S3-compatible object store for recordings (`PARLEY_RECORDINGS_S3_…`). */
import { Config, Data, Effect, Option, type Redacted } from "effect"

/** The settings contradict each other, or one of them is invalid. */
export class StoreSettingsRefused extends Data.TaggedError("StoreSettingsRefused")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

export interface StoreSettings {
  readonly bucket: string
  /** Undefined: the endpoint of AWS in the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Undefined: the keys that AWS gives to the machine, its container or its user. */
  readonly keys: { readonly id: string; readonly secret: Redacted.Redacted } | undefined
  /** Whether the bucket is named in the path and not in the host name. */
  readonly isPathStyle: boolean
  /** The prefix of each object's name: empty, or with a slash at the end. */
  readonly prefix: string
  readonly encryption: "AES256" | "aws:kms" | undefined
  readonly kmsKey: string | undefined
}

const optional = (name: Config.Config<string>) => Effect.map(Config.option(name), Option.getOrUndefined)

/** Null if recordings stay on disk. */
export const read = Effect.gen(function* () {
  const bucket = yield* optional(Config.NonEmptyString("PARLEY_RECORDINGS_S3_BUCKET"))
  const endpoint = yield* optional(Config.NonEmptyString("PARLEY_RECORDINGS_S3_ENDPOINT"))
  const id = yield* optional(Config.NonEmptyString("PARLEY_RECORDINGS_S3_ACCESS_KEY"))
  const secret = Option.getOrUndefined(yield* Config.option(Config.Redacted("PARLEY_RECORDINGS_S3_SECRET_KEY")))
  const kmsKey = yield* optional(Config.NonEmptyString("PARLEY_RECORDINGS_S3_KMS_KEY"))
  const encryption = Option.getOrUndefined(
    yield* Config.option(Config.Literals(["AES256", "aws:kms"], "PARLEY_RECORDINGS_S3_ENCRYPTION")),
  )
  const isPathStyle = yield* Config.Boolean("PARLEY_RECORDINGS_S3_PATH_STYLE").pipe(
    Config.withDefault(endpoint !== undefined),
  )
  const prefix = yield* Config.String("PARLEY_RECORDINGS_S3_PREFIX").pipe(Config.withDefault(""))
  const region = yield* Config.NonEmptyString("PARLEY_RECORDINGS_S3_REGION").pipe(Config.withDefault("us-east-1"))
  const refused = (why: string) => new StoreSettingsRefused({ why })

  if (bucket === undefined) {
    if (endpoint === undefined && id === undefined && secret === undefined) return null
    return yield* refused("PARLEY_RECORDINGS_S3_… is set, but PARLEY_RECORDINGS_S3_BUCKET is not. Name the bucket.")
  }
  if (endpoint !== undefined && !isPlainUrl(endpoint)) {
    return yield* refused(`PARLEY_RECORDINGS_S3_ENDPOINT is ${endpoint}. It has to be an http or https URL.`)
  }
  if ((id === undefined) !== (secret === undefined)) {
    return yield* refused("Set both PARLEY_RECORDINGS_S3_ACCESS_KEY and PARLEY_RECORDINGS_S3_SECRET_KEY.")
  }
  if (kmsKey !== undefined && encryption !== "aws:kms") {
    return yield* refused("PARLEY_RECORDINGS_S3_KMS_KEY needs PARLEY_RECORDINGS_S3_ENCRYPTION=aws:kms.")
  }
  const folder = prefix.replaceAll(/^\/+|\/+$/g, "")
  const settings: StoreSettings = {
    bucket,
    endpoint,
    region,
    keys: id === undefined || secret === undefined ? undefined : { id, secret },
    isPathStyle,
    prefix: folder === "" ? "" : `${folder}/`,
    encryption,
    kmsKey,
  }
  return settings
})

const isPlainUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.search === ""
}
