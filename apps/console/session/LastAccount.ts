/** The account used last in this browser. `/console/` opens it for users who have several. */

const place = "parley.account"

export const rememberAccount = (slug: string): void => localStorage.setItem(place, slug)

export const lastAccount = (): string | null => localStorage.getItem(place)
