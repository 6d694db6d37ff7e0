/**
 * The lines of a prompt that the scripted brain follows, in their order. Each stands on a line of its own:
 *
 *     Say: We moved to a new building last month.
 *     Ask: Which day would suit you?
 *     Record: appointment_date
 *
 * `Say` is said once. `Ask` is asked once and waits for an answer. `Record` names the field of `record_outcome` for the
 * answer to the question before it. Every other line is for models.
 */

export interface Cue {
  readonly kind: "say" | "ask"
  readonly text: string
  /** The field that the answer is recorded under. */
  readonly field: string | null
}

/** The most cues of one prompt. A prompt of 100,000 characters may be one long list; no caller would listen to more. */
const most = 50
const longest = 1_000

export const cuesOf = (parts: ReadonlyArray<string>): ReadonlyArray<Cue> => {
  const cues: Array<Cue> = []
  for (const line of parts.flatMap((part) => part.split("\n"))) {
    const [, word = "", rest = ""] =
      /^[\s>*-]*(say|ask|record)[ \t]*:[ \t]*(\S.*)$/iu.exec(line.slice(0, longest)) ?? []
    const kind = word.toLowerCase()
    const text = rest.trim()
    if (kind === "record") {
      const last = cues.at(-1)
      if (last?.kind === "ask" && last.field === null && /^\w{1,100}$/u.test(text))
        cues[cues.length - 1] = { ...last, field: text }
    } else if ((kind === "say" || kind === "ask") && cues.length < most) {
      cues.push({ kind, text, field: null })
    }
  }
  return cues
}
