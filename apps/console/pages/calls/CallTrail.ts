/** The ids of the list that the user came from, so that a key leads to the previous or the next call. */
let trail: ReadonlyArray<string> = []

export const rememberTrail = (ids: ReadonlyArray<string>): void => {
  trail = ids
}

export const beside = (id: string, by: 1 | -1): string | undefined => {
  const at = trail.indexOf(id)
  return at === -1 ? undefined : trail[at + by]
}
