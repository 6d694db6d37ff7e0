/** Makes two spellings of an email address equal if they differ only in the case of ASCII letters. */

/**
 * The form that is stored and compared. Letters beyond ASCII stay as they are: Unicode folds some into ASCII (the Kelvin
 * sign K into k), and an address that only looks like an administrator's must not become it.
 */
export const toComparable = (email: string): string => email.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase())
