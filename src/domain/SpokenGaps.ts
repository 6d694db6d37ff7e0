/** What an agent says when a variable has no value: it greets without the name, and never says "Hello , …". */

import { joinAfterTitles } from "./SentenceParts.ts"

/** Marks a missing value: a character of the private use area, which no template and no value contains. */
export const gap = "\u{E000}"

/** Matches each output of a template. Quoted text in it may contain braces. */
const outputs = /\{\{(-?)((?:"[^"]*"|'[^']*'|[^"'{}])*?)(-?)\}\}/gu

/** The template with `gap` wherever an output has no value. */
export const markGaps = (template: string): string =>
  /\{%-?\s*raw/u.test(template)
    ? template
    : template.replaceAll(outputs, `{{$1$2 | default: "${gap}", allow_false: true $3}}`)

/** The beginnings of greetings, after which a missing name is left out: "Hello {{first_name}}, …". */
const greetings = [
  ...["hello", "hi", "hey", "dear", "welcome", "good (?:morning|afternoon|evening|day)"],
  ...["hallo", "guten (?:morgen|tag|abend)", "bonjour", "bonsoir", "hola", "buenos d[ií]as", "buenas tardes"],
  ...["ciao", "buongiorno", "buonasera", "ol[aá]", "bom dia", "boa tarde", "goede(?:morgen|middag|navond)"],
].join("|")
const greeted = new RegExp(`^(\\s*(?:${greetings}))(?:[\\s,]*${gap})+`, "iu")
/** A missing name at the end of a form of address: "Thank you, {{first_name}}!". */
const addressed = new RegExp(`,\\s*${gap}(?=\\s*[,.!?])`, "gu")
const sentences = /[^.!?\n]+[.!?]*\s*|[.!?\n]+\s*/gu

/**
 * The text without its gaps. Greetings and forms of address lose the missing name. Any other sentence with a gap is
 * left out, unless every sentence has one.
 */
export const withoutGaps = (text: string): string => {
  if (!text.includes(gap)) return text
  const whole = joinAfterTitles(text.match(sentences) ?? [])
    .map((sentence) => sentence.replace(greeted, "$1").replaceAll(addressed, ""))
    .filter((sentence) => !sentence.includes(gap))
    .join("")
  // If every sentence has a gap, the text is spoken with the gaps removed, which is better than silence.
  return whole.trim() === "" ? withoutGapsOnly(text) : whole
}

/**
 * Removes the gaps and the spaces before them. It splits and trims, because a regular expression would examine each of
 * a hundred thousand spaces again and again.
 */
const withoutGapsOnly = (text: string): string => {
  const parts = text.split(gap)
  return parts.map((part, at) => (at < parts.length - 1 ? part.trimEnd() : part)).join("")
}
