/** The texts of keys: random letters, and the hash that is stored instead of them. */
import { hash as hashOnce, randomInt, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** `length` letters of base62, all equally likely: 5.95 bits a letter. */
export const random = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("")

/**
 * The CRC-32 of a text in six letters of base62 (62⁶ > 2³²). It tells a mistyped or truncated key from a revoked one.
 */
export const checksum = (text: string): string => {
  let rest = crc32(text)
  let letters = ""
  while (letters.length < 6) {
    letters = `${alphabet[rest % alphabet.length]}${letters}`
    rest = Math.floor(rest / alphabet.length)
  }
  return letters
}

/** The hash that is stored. A key has 178 random bits, so a plain hash is as good as a slow one. */
export const hash = (text: string): Uint8Array => hashOnce("sha256", text, "buffer")

/** Compares in a time that does not reveal where the first difference is. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
