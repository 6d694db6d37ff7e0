/**
 * The strict syntax of a signed token, checked before any library sees it: jose by itself accepts padding and spaces
 * inside a segment. A token that passes is still only a claim; SignedToken checks its signature.
 */
import { Result, Schema } from "effect"
import { Unauthenticated } from "../domain/Principal.ts"

/**
 * The RS256, ES256 and EdDSA families only: no `none`, no HMAC, no RSA-PSS. `Ed25519` is RFC 9864's name for `EdDSA`
 * with that curve.
 */
export const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const

/** The maximum number of characters of a token. Node refuses larger headers anyway; an ID token has 1 to 2 KiB. */
const maximumLength = 16 * 1024

/** For header parameters by which a token would bring its own key or its own rules. */
const forbidden = Schema.optionalKey(Schema.Never)

const Header = Schema.fromJsonString(
  Schema.Struct({
    alg: Schema.Literals(algorithms),
    kid: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500))),
    typ: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^jwt$/iu))),
    crit: forbidden,
    b64: forbidden,
    jku: forbidden,
    jwk: forbidden,
    x5u: forbidden,
    x5c: forbidden,
    zip: forbidden,
    enc: forbidden,
  }),
)
const Payload = Schema.fromJsonString(Schema.Struct({ iss: Schema.String }))

export interface BearerToken {
  readonly text: string
  readonly kid: string | undefined
  /** The claimed issuer. It selects the keys and proves nothing. */
  readonly issuer: string
}

const header = Schema.decodeUnknownResult(Header)
const payload = Schema.decodeUnknownResult(Payload)

export const parse = (text: string): Result.Result<BearerToken, Unauthenticated> => {
  if (text.length > maximumLength) return refuse("is longer than 16 KiB")
  const segments = text.split(".").map(decodeSegment)
  const [first, second, third] = segments
  if (segments.length !== 3 || first === undefined || second === undefined || third === undefined) {
    return refuse("is neither an API key nor three base64url segments")
  }
  const head = header(first)
  if (Result.isFailure(head))
    return refuse("has a header that is not accepted; it must be a JWT signed by RS256, ES256 or EdDSA")
  const body = payload(second)
  if (Result.isFailure(body)) return refuse("has no issuer")
  return Result.succeed({ text, kid: head.success.kid, issuer: body.success.iss })
}

/** Canonical base64url: no padding, no other characters, no stray bits at the end, not empty. */
const decodeSegment = (segment: string): string | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(segment)) return undefined
  const bytes = Buffer.from(segment, "base64url")
  return bytes.toString("base64url") === segment ? bytes.toString() : undefined
}

const refuse = (fault: string) => Result.fail(new Unauthenticated({ detail: `The bearer token ${fault}` }))
