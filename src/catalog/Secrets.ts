/**
 * Secrets inside a tool's `implementation_config` or a number's `carrier_config`: sealed at rest with the account's
 * data key, masked on the wire, and opened only for the call that needs them. A mask keeps a secret only for the
 * destination that it was given for: a client that may change a config must not be able to read its secrets.
 */
import { Effect, JsonPointer, type Schema } from "effect"
import { Invalid, type Issue } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { seal, unseal } from "../tenancy/MasterKey.ts"

/** Shown to clients in place of a secret. A client that sends it back keeps the secret. */
export const mask = "********"

/**
 * The key of a secret at rest, which is an object with this one key. Clients cannot write the key, so every such object
 * was sealed here.
 */
const sealedKey = "$sealed"

type Path = ReadonlyArray<string>

/**
 * Matches names of secrets by their last word: `auth_token`, `X-Api-Key`, `clientSecret`, `Authorization`; not
 * `token_url`, not `public_key`.
 */
const secretName = /(?:^|_)(?:token|secret|password|passwd|passphrase|api_?key|private_?key|authorization|cookie)$/u
const snakeCase = (key: string) =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase()

/** Headers that describe the format of a request and never identify its sender. */
const publicHeaders = new Set([
  ...["accept", "accept-charset", "accept-language", "cache-control", "content-language", "content-type"],
  ...["pragma", "prefer", "user-agent"],
])

const isNamedSecret = (path: Path): boolean => secretName.test(snakeCase(path.at(-1) ?? ""))

/**
 * Whether the path is that of a secret header. Any header of `headers` may carry a credential, so all are secret except
 * the public ones above and those that `public_headers` names.
 */
const isSecretHeader = (path: Path, config: Schema.JsonObject): boolean => {
  const [headers, name = ""] = path
  if (path.length !== 2 || headers !== "headers") return false
  const { public_headers: named } = config
  const isNamed = Array.isArray(named) && named.some((one) => String(one).toLowerCase() === name.toLowerCase())
  return !isNamed && !publicHeaders.has(name.toLowerCase())
}

const isSecret = (path: Path, config: Schema.JsonObject): boolean =>
  isNamedSecret(path) ||
  // The value of an authentication header, whatever the header's name.
  (path.length === 2 && path[0] === "authentication" && path[1] === "value") ||
  isSecretHeader(path, config)

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const sealedIn = (value: Schema.Json | undefined): string | undefined => {
  const text = isObject(value) ? value[sealedKey] : undefined
  return typeof text === "string" ? text : undefined
}

const at = (value: Schema.Json | undefined, path: Path): Schema.Json | undefined =>
  path.reduce<Schema.Json | undefined>(
    (inner, key) => (isObject(inner) ? inner[key] : Array.isArray(inner) ? inner[Number(key)] : undefined),
    value,
  )

/** Returns the replacement of the value at a path; undefined leaves the value. */
type Leaf = (value: Schema.Json, path: Path) => Schema.Json | undefined

/**
 * Returns `value` with the replacements that `leaf` makes. Parts without a replacement are not copied: a config may
 * have 10,000 members.
 */
const walk = (value: Schema.Json, leaf: Leaf, path: Path): Schema.Json => {
  const replaced = leaf(value, path)
  if (replaced !== undefined) return replaced
  if (isObject(value)) return walkObject(value, leaf, path)
  if (!Array.isArray(value)) return value
  const items = value.map((item, index) => walk(item, leaf, [...path, String(index)]))
  return items.every((item, index) => item === value[index]) ? value : items
}

const walkObject = (value: Schema.JsonObject, leaf: Leaf, path: Path = []): Schema.JsonObject => {
  const members = Object.entries(value).map(([key, item]) => [key, walk(item, leaf, [...path, key])] as const)
  return members.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(members)
}

/** The stored config as clients see it. */
export const maskSecrets = (stored: Schema.JsonObject): Schema.JsonObject =>
  walkObject(stored, (value, path) =>
    sealedIn(value) !== undefined || (isOpenText(value) && isSecret(path, stored)) ? mask : undefined,
  )

/**
 * Whether a value at a secret place is stored in the open, because the place was not secret when it was written. It is
 * sealed when the config is written again.
 */
const isOpenText = (value: Schema.Json | undefined): value is string => typeof value === "string" && value !== ""

/** A stored config, and whether the new one would send its secrets to another destination. */
export interface Stored {
  readonly config: Schema.JsonObject
  readonly isElsewhere: boolean
}

/**
 * Seals the secrets of a config that a client sent. `place` identifies the record (`tools/<id>`). A mask keeps the
 * secret that `stored` has at the same place. It is refused if none is stored, and if the secret would go to another
 * destination.
 */
export const sealSecrets = Effect.fnUntraced(function* (
  place: string,
  pointer: string,
  sent: Schema.JsonObject,
  stored: Stored | undefined,
) {
  const { dataKey } = yield* CurrentTenant
  const refused: Array<Issue> = []
  const refuse = (path: Path, detail: string) => {
    refused.push({ pointer: pointer + path.map((key) => `/${JsonPointer.escapeToken(key)}`).join(""), detail })
    return null
  }
  const sealAt = (path: Path, value: Schema.Json) => ({
    [sealedKey]: seal(dataKey, [place, ...path].join("/"), Buffer.from(JSON.stringify(value))),
  })
  const keep = (path: Path) => {
    const kept = at(stored?.config, path)
    if (sealedIn(kept) === undefined && !isOpenText(kept)) {
      return refuse(path, "is a mask, and no secret is stored here")
    }
    if (stored?.isElsewhere === true) {
      return refuse(path, "is a mask, and the stored secret was given for another destination. Send the secret itself.")
    }
    return isOpenText(kept) ? sealAt(path, kept) : kept
  }
  const result = walkObject(sent, (value, path) => {
    if (path.at(-1) === sealedKey) return refuse(path, "is a reserved name")
    if (value === null || value === "") return undefined
    if (isSecret(path, sent)) return value === mask ? keep(path) : sealAt(path, value)
    return value === mask && sealedIn(at(stored?.config, path)) !== undefined
      ? refuse(path, "is a mask of a secret. Send the value itself to make it public.")
      : undefined
  })
  return yield* refused.length === 0 ? Effect.succeed(result) : new Invalid({ errors: refused })
})

/**
 * Adds the present secrets of `stored` to a config that was stored without them. A secret is null if `stored` no longer
 * has it, or has it for another destination.
 */
export const refillSecrets = (kept: Schema.JsonObject, stored: Stored | undefined): Schema.JsonObject =>
  walkObject(kept, (value, path) => {
    if (value !== mask || !isSecret(path, kept)) return undefined
    const secret = stored?.isElsewhere === true ? undefined : at(stored?.config, path)
    return sealedIn(secret) === undefined || secret === undefined ? null : secret
  })

/** The config with its secrets open: only for a call, never for an answer to a client. */
export const openSecrets = Effect.fnUntraced(function* (place: string, stored: Schema.JsonObject) {
  const { dataKey } = yield* CurrentTenant
  return walkObject(stored, (value, path) => {
    const text = sealedIn(value)
    if (text === undefined) return undefined
    const secret: Schema.Json = JSON.parse(Buffer.from(unseal(dataKey, [place, ...path].join("/"), text)).toString())
    return secret
  })
})

/** Characters below which a secret is not masked in answers: a shorter one would occur by chance in many words. */
const shortestHidden = 4
/** The same for a header that may be a credential: it may also be a plain word, so only a long value is masked. */
const shortestHiddenHeader = 12

/**
 * Masks the secrets of an opened config, and the values `from` that are derived from them, in what comes back from
 * outside: a server that echoes its headers must not put secrets into a record.
 */
export const makeSecretMasker = (opened: Schema.JsonObject, from: ReadonlyArray<string>) => {
  const found = from.filter(({ length }) => length >= shortestHidden)
  walkObject(opened, (value, path) => {
    if (typeof value !== "string" || !isSecret(path, opened)) return undefined
    const isHeader = isSecretHeader(path, opened) && !isNamedSecret(path)
    if (value.length >= (isHeader ? shortestHiddenHeader : shortestHidden)) found.push(value)
    return undefined
  })
  // Each secret as it is, and as JSON writes it. The longest come first, since one may be part of another.
  const secrets = found
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length)
  const maskText = (said: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), said)
  const maskJson = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return maskText(value)
    if (Array.isArray(value)) return value.map(maskJson)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [maskText(key), maskJson(item)]))
  }
  return { maskText, maskJson }
}
