/** What a call to a person reserves: the most that a call to one of the numbers may cost. Pure. */

/** In millionths. Null if one of the numbers has no price. */
export const dearestOf = (numbers: ReadonlyArray<string>, mostTo: (number: string) => number | null): number | null => {
  let most = 0
  for (const number of numbers) {
    const one = mostTo(number)
    if (one === null) return null
    most = Math.max(most, one)
  }
  return most
}
