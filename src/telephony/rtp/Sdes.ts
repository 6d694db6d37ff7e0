/** The keys of SRTP in a session description (RFC 4568), one line `a=crypto` for each suite. */
import { makeSrtpKeys, masterKeyBytes, masterSaltBytes, type SrtpKeys, type SrtpSuite, srtpSuites } from "./Srtp.ts"

/** An offered key, with the tag by which the answer chooses it. */
export interface TaggedKeys {
  readonly tag: number
  readonly keys: SrtpKeys
}

/** Our own keys in one call. They stay the same in all its offers and answers, so that sound goes on through each. */
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

/** A session parameter that changes nothing here: the window for replays is our own. */
const harmless = /^WSH=\d{1,5}$/

/**
 * The keys of such lines among the attributes that can be used. A line with a master key identifier, several keys, or
 * parameters that would change the protection cannot be.
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
