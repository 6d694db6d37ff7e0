/** Parts of a text, joined where a cut at each full stop fell behind a title: "Dr. " ends no sentence. */

/** In the languages of the greetings. Not any short word: "this is Nora. " ends one. */
const titles = "dr|dra|mr|mrs|ms|mx|prof|sr|sra|srta|hr|fr|sig|dott|mme|mlle|ing|rev"
const titleAtEnd = new RegExp(`(?:^|[\\s("])(?:${titles})\\.\\s*$`, "iu")
/** The longest title with the spaces around it. No more of an end is looked at, so that the time grows with the text alone. */
const longestTitle = 10

export const joinAfterTitles = (parts: Iterable<string>): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let goesOn = false
  for (const part of parts) {
    if (goesOn) sentences.push(`${sentences.pop() ?? ""}${part}`)
    else sentences.push(part)
    goesOn = titleAtEnd.test(part.slice(-longestTitle))
  }
  return sentences
}
