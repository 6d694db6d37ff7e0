/** Digest authentication as a client (RFC 3261 §22, RFC 7616, RFC 8760): MD5 and SHA-256, with and without `qop=auth`. */
import { createHash } from "node:crypto"
import { splitList } from "./Fields.ts"

type Algorithm = "MD5" | "MD5-SESS" | "SHA-256" | "SHA-256-SESS"

export interface Challenge {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | null
  readonly algorithm: Algorithm
  /** Spelled as in the challenge, because some registrars compare it literally. */
  readonly algorithmText: string | null
  /** Whether the server offers `qop=auth`; without it the form of RFC 2069 is used. */
  readonly hasQop: boolean
  /** Whether the password was right and only the nonce too old. */
  readonly isStale: boolean
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

const algorithms: ReadonlyArray<Algorithm> = ["SHA-256", "SHA-256-SESS", "MD5", "MD5-SESS"]

const unquote = (text: string): string =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text

const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** Null for another scheme, an unknown algorithm, or a `qop` other than `auth`. */
export const parseChallenge = (text: string): Challenge | null => {
  const scheme = /^\s*Digest\s+/i.exec(text)
  if (scheme === null) return null
  const params = new Map<string, string>()
  for (const part of splitList(text.slice(scheme[0].length))) {
    const equals = part.indexOf("=")
    if (equals > 0) params.set(part.slice(0, equals).trim().toLowerCase(), unquote(part.slice(equals + 1).trim()))
  }
  const realm = params.get("realm")
  const nonce = params.get("nonce")
  const algorithmText = params.get("algorithm") ?? null
  const algorithm = algorithms.find((known) => known === (algorithmText ?? "MD5").toUpperCase())
  if (realm === undefined || nonce === undefined || algorithm === undefined) return null
  const qops = splitList((params.get("qop") ?? "").toLowerCase())
  if (qops.length > 0 && !qops.includes("auth")) return null
  return {
    realm,
    nonce,
    algorithm,
    algorithmText,
    opaque: params.get("opaque") ?? null,
    hasQop: qops.length > 0,
    isStale: (params.get("stale") ?? "").toLowerCase() === "true",
  }
}

/** Chooses the strongest challenge that we can answer. */
export const chooseChallenge = (texts: ReadonlyArray<string>): Challenge | null => {
  const challenges = texts.map(parseChallenge).filter((challenge) => challenge !== null)
  const rank = ({ algorithm }: Challenge) => algorithms.indexOf(algorithm)
  return challenges.sort((one, other) => rank(one) - rank(other))[0] ?? null
}

export interface Authorisation {
  readonly challenge: Challenge
  readonly credentials: Credentials
  readonly method: string
  readonly uri: string
  /** How often the nonce has been used, this time included. */
  readonly count: number
  readonly cnonce: string
}

const responseOf = ({ challenge, cnonce, count, credentials, method, uri }: Authorisation): string => {
  const { algorithm, hasQop, nonce, realm } = challenge
  const hash = (text: string) =>
    createHash(algorithm.startsWith("SHA-256") ? "sha256" : "md5")
      .update(text)
      .digest("hex")
  const secret = hash(`${credentials.username}:${realm}:${credentials.password}`)
  const first = algorithm.endsWith("-SESS") ? hash(`${secret}:${nonce}:${cnonce}`) : secret
  const second = hash(`${method}:${uri}`)
  return hash(hasQop ? `${first}:${nonce}:${hexCount(count)}:${cnonce}:auth:${second}` : `${first}:${nonce}:${second}`)
}

const hexCount = (count: number): string => count.toString(16).padStart(8, "0")

/** The value of `Authorization` or `Proxy-Authorization`. */
export const authorise = (authorisation: Authorisation): string => {
  const { challenge, cnonce, count, credentials, uri } = authorisation
  const { algorithm, algorithmText, hasQop, nonce, opaque, realm } = challenge
  const needsCnonce = hasQop || algorithm.endsWith("-SESS")
  return `Digest ${[
    `username=${quote(credentials.username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${responseOf(authorisation)}"`,
    ...(algorithmText === null ? [] : [`algorithm=${algorithmText}`]),
    ...(needsCnonce ? [`cnonce=${quote(cnonce)}`] : []),
    ...(hasQop ? ["qop=auth", `nc=${hexCount(count)}`] : []),
    ...(opaque === null ? [] : [`opaque=${quote(opaque)}`]),
  ].join(", ")}`
}
