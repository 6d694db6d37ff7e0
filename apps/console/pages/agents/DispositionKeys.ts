/** The key that a disposition gets from its words, until the user types one. */

const longest = 50

/** "Not interested (now)" gives "not_interested_now". Empty if the words have no letter from a to z. */
export const keyOf = (label: string): string =>
  label
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "_")
    .replace(/^[0-9_]+/u, "")
    .slice(0, longest)
    .replace(/_+$/u, "")
