/** The beginning of a text that a message quotes. */

/** At most so many characters. It never ends in half of a character, which PostgreSQL cannot store in JSON. */
export const beginningOf = (text: string, most: number): string => text.slice(0, most).replace(/\p{Surrogate}$/u, "")
