/** The keys of SRTP in a session description (RFC 4568), one line `a=crypto` for each suite. */
import { makeSrtpKeys, masterKeyBytes, masterSaltBytes, type SrtpKeys, type SrtpSuite, srtpSuites } from "./Srtp.ts"

/** An offered key, with the tag by which the answer chooses it. */
export interface TaggedKeys {
  readonly tag: number
  readonly keys: SrtpKeys
}

/**
 * Our own keys in one call. They stay the same in all its offers and answers, so that a new offer does not interrupt
 * the sound.
 */
export class Keyring {
  readonly #keys = new Map<SrtpSuite, SrtpKeys>()

  keysOf(suite: SrtpSuite): SrtpKeys {
    const keys = this.#keys.get(suite) ?? makeSrtpKeys(suite)
    this.#keys.set(suite, keys)
    return keys
  }

  /** All suites, the best first. */
  offered(): ReadonlyArray<TaggedKeys> {
    return srtpSuites.map((suite, at) => ({ tag: at + 1, keys: this.keysOf(suite) }))
  }
}

const cryptoLine = /^crypto:(\d{1,9}) (\w{1,64}) inline:([A-Za-z0-9+/]{40}={0,2})(?:\|(?:2\^)?\d{1,20})?((?: .*)?)$/

/** A session parameter that is safe to ignore: we choose our own replay window. */
const harmless = /^WSH=\d{1,5}$/

/**
 * Reads the keys of all `a=crypto` lines that can be used. Skips a line with a master key identifier, with several
 * keys, or with parameters that would change the protection.
 */
export const readKeys = (attributes: ReadonlyArray<string>): ReadonlyArray<TaggedKeys> =>
  attributes.flatMap((attribute) => {
    const [, tag = "", name = "", inline = "", parameters = ""] = cryptoLine.exec(attribute) ?? []
    const suite = srtpSuites.find((suite) => suite === name.toUpperCase())
    const isPlain = parameters.split(" ").every((parameter) => parameter === "" || harmless.test(parameter))
    const secret = Buffer.from(inline, "base64")
    if (suite === undefined || !isPlain || secret.length !== masterKeyBytes + masterSaltBytes) return []
    return [{ tag: Number(tag), keys: { suite, secret } }]
  })

export const writeKeys = ({ keys, tag }: TaggedKeys): string =>
  `a=crypto:${tag} ${keys.suite} inline:${Buffer.from(keys.secret).toString("base64")}`
