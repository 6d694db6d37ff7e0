/** The list that one came from, so that the call before and the call after are a key away. */
let trail: ReadonlyArray<string> = []

export const rememberTrail = (ids: ReadonlyArray<string>): void => {
  trail = ids
}

export const beside = (id: string, by: 1 | -1): string | undefined => {
  const at = trail.indexOf(id)
  return at === -1 ? undefined : trail[at + by]
}
