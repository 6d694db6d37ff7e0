/** Identifiers that cannot be guessed: tags, Call-IDs, branches and client nonces. */
import { randomBytes } from "node:crypto"

export const newId = (): string => randomBytes(12).toString("hex")

/** RFC 3261 §8.1.1.7: a branch that begins so is unique, so that it alone names its transaction. */
export const branchCookie = "z9hG4bK"
