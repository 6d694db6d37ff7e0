/** The account that this browser worked in last: where a bare `/console/` leads when a person has several. */

const place = "parley.account"

export const rememberAccount = (slug: string): void => localStorage.setItem(place, slug)

export const lastAccount = (): string | null => localStorage.getItem(place)
