/** Joins the parts of a text that was cut at each full stop, where the cut follows a title: "Dr. " ends no sentence. */

/** The titles in the languages of the greetings. Other short words may end a sentence: "this is Nora. " does. */
const titles = "dr|dra|mr|mrs|ms|mx|prof|sr|sra|srta|hr|fr|sig|dott|mme|mlle|ing|rev"
const titleAtEnd = new RegExp(`(?:^|[\\s("])(?:${titles})\\.\\s*$`, "iu")
/**
 * The length of the longest title with the spaces around it. Only this much of a part's end is examined, so that the
 * time grows with the length of the text alone.
 */
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
