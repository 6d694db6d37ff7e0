/**
 * The key that wraps every account's data key: from `PARLEY_ENCRYPTION_KEY`, or in development made once and kept in
 * the data folder. During a rotation, `PARLEY_ENCRYPTION_KEY_SECOND` can unwrap as well (docs/operations.md).
 */
import { Config, Context, Data, Effect, Layer, Option, Redacted, Result } from "effect"
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DataFolder } from "./DataFolder.ts"
import { Environment } from "./Environment.ts"
import { OnlyExisting } from "./OnlyExisting.ts"

const setting = "PARLEY_ENCRYPTION_KEY"
/** A key that opens as well: before a rotation the next one, after it the previous one. */
const secondSetting = "PARLEY_ENCRYPTION_KEY_SECOND"

export class MasterKeyUnusable extends Data.TaggedError("MasterKeyUnusable")<{
  readonly setting: string
  readonly why: string
}> {
  override get message() {
    return `${this.setting} ${this.why}. Make one with: openssl rand -base64 32`
  }
}

const sealedBy = "v1"

/**
 * Encrypts with AES-256-GCM. The text is `v1.<iv>.<ciphertext and tag>`, base64url; `place` is authenticated with it,
 * so that a sealed value that is moved to another account, record or field does not open.
 */
export const seal = (key: Uint8Array, place: string, secret: Uint8Array): string => {
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()])
  return [sealedBy, iv.toString("base64url"), sealed.toString("base64url")].join(".")
}

/** Returns the secret of a text that `seal` returned. Throws if the key, the place or any byte differs. */
export const unseal = (key: Uint8Array, place: string, text: string): Uint8Array => {
  const [version, iv = "", sealed = ""] = text.split(".")
  if (version !== sealedBy) throw new Error(`A sealed value of the unknown version ${version}`)
  const bytes = Buffer.from(sealed, "base64url")
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])
}

export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** Wraps an account's data key; `account` is its id. The URL of a server is wrapped too (`DatabaseServers.sealedAs`). */
    readonly wrap: (account: string, dataKey: Uint8Array) => Uint8Array
    /** Unwraps an account's data key. Throws if neither key opens it. */
    readonly unwrap: (account: string, wrapped: Uint8Array) => Uint8Array
    /**
     * Wraps the same content with the first key; undefined if that key wraps it already. Throws if neither key opens
     * it.
     */
    readonly rewrap: (account: string, wrapped: Uint8Array) => Uint8Array | undefined
    /**
     * Fingerprints that tell keys apart and reveal nothing else: first that of the key that wraps, then that of the
     * second key, if there is one.
     */
    readonly fingerprints: ReadonlyArray<string>
  }
>()("tenancy/MasterKey") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const configured = yield* readKey(setting, Config.Redacted("PARLEY_ENCRYPTION_KEY"))
      const environment = yield* Environment
      if (configured === undefined && environment === "production") {
        return yield* new MasterKeyUnusable({ setting, why: "is needed in production" })
      }
      const key = configured ?? (yield* keyOfFolder)
      const second = yield* readKey(secondSetting, Config.Redacted("PARLEY_ENCRYPTION_KEY_SECOND"))
      const others = second === undefined || second.equals(key) ? [] : [second]
      const open = (by: Uint8Array, account: string, wrapped: Uint8Array) =>
        unseal(by, `account:${account}`, Buffer.from(wrapped).toString())
      const canOpen = (by: Uint8Array, account: string, wrapped: Uint8Array) =>
        Result.isSuccess(Result.try(() => open(by, account, wrapped)))
      const wrap = (account: string, dataKey: Uint8Array) => Buffer.from(seal(key, `account:${account}`, dataKey))
      const unwrap = (account: string, wrapped: Uint8Array) => {
        const by = others.length === 0 ? key : [key, ...others].find((each) => canOpen(each, account, wrapped))
        return open(by ?? key, account, wrapped)
      }
      return {
        wrap,
        unwrap,
        rewrap: (account, wrapped) =>
          canOpen(key, account, wrapped) ? undefined : wrap(account, unwrap(account, wrapped)),
        fingerprints: [key, ...others].map(fingerprintOf),
      }
    }),
  )
}

const readKey = Effect.fnUntraced(function* (name: string, config: Config.Config<Redacted.Redacted>) {
  const text = Option.getOrUndefined(yield* Config.option(config))
  return text === undefined ? undefined : yield* checkLength(name, Buffer.from(Redacted.value(text), "base64"))
})

const checkLength = (name: string, key: Buffer) =>
  key.length === 32
    ? Effect.succeed(key)
    : new MasterKeyUnusable({ setting: name, why: `must be 32 bytes in base64; it has ${key.length}` })

const fingerprintOf = (key: Uint8Array): string =>
  createHmac("sha256", key).update("fingerprint").digest("hex").slice(0, 16)

const keyOfFolder = Effect.gen(function* () {
  const folder = yield* DataFolder
  const file = join(folder, "encryption.key")
  if (!existsSync(file)) {
    if (yield* OnlyExisting) {
      return yield* new MasterKeyUnusable({ setting, why: `is not set, and there is no file ${file}` })
    }
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600 })
  }
  return yield* checkLength(setting, Buffer.from(readFileSync(file, "utf8"), "base64"))
})
