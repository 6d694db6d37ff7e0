/**
 * The key that wraps every account's data key: from `PARLEY_ENCRYPTION_KEY`, or in development made once and kept in
 * the data folder.
 */
import { Config, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DataFolder } from "./DataFolder.ts"
import { Environment } from "./Environment.ts"
import { OnlyExisting } from "./OnlyExisting.ts"

export class MasterKeyUnusable extends Data.TaggedError("MasterKeyUnusable")<{ readonly why: string }> {
  override get message() {
    return `PARLEY_ENCRYPTION_KEY ${this.why}. Make one with: openssl rand -base64 32`
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

/** Opens what `seal` closed; throws if the key, the place or any byte differs. */
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
    /** Wraps an account's data key; `account` is its id. */
    readonly wrap: (account: string, dataKey: Uint8Array) => Uint8Array
    readonly unwrap: (account: string, wrapped: Uint8Array) => Uint8Array
  }
>()("tenancy/MasterKey") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const configured = yield* Config.option(Config.Redacted("PARLEY_ENCRYPTION_KEY"))
      const environment = yield* Environment
      const text = Option.isSome(configured) ? Redacted.value(configured.value) : undefined
      if (text === undefined && environment === "production") {
        return yield* new MasterKeyUnusable({ why: "is needed in production" })
      }
      const key = text === undefined ? yield* keyOfFolder : Buffer.from(text, "base64")
      if (key.length !== 32) {
        return yield* new MasterKeyUnusable({ why: `must be 32 bytes in base64; it has ${key.length}` })
      }
      return {
        wrap: (account, dataKey) => Buffer.from(seal(key, `account:${account}`, dataKey)),
        unwrap: (account, wrapped) => unseal(key, `account:${account}`, Buffer.from(wrapped).toString()),
      }
    }),
  )
}

const keyOfFolder = Effect.gen(function* () {
  const folder = yield* DataFolder
  const file = join(folder, "encryption.key")
  if (!existsSync(file)) {
    if (yield* OnlyExisting) {
      return yield* new MasterKeyUnusable({ why: `is not set, and there is no file ${file}` })
    }
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600 })
  }
  return Buffer.from(readFileSync(file, "utf8"), "base64")
})
