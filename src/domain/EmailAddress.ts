/** Email addresses in the form in which they are compared: without regard to the case of ASCII letters. */

/**
 * The form of an address that is stored and compared. Letters beyond ASCII stay as they are: Unicode folds some into
 * ASCII (the Kelvin sign K into k), and an address that only looks like an administrator's must not equal it.
 */
export const toComparable = (email: string): string => email.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase())
