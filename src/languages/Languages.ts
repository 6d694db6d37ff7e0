/** The languages that Parley itself speaks and recognises. A model may speak others. */
import { da } from "./data/da.ts"
import { de } from "./data/de.ts"
import { en } from "./data/en.ts"
import { es } from "./data/es.ts"
import { fr } from "./data/fr.ts"
import { hi } from "./data/hi.ts"
import { it } from "./data/it.ts"
import { nl } from "./data/nl.ts"
import { pl } from "./data/pl.ts"
import { pt } from "./data/pt.ts"
import { sv } from "./data/sv.ts"
import { tr } from "./data/tr.ts"
import type { Language } from "./Language.ts"

export const languages: ReadonlyArray<Language> = [en, da, de, es, fr, hi, it, nl, pl, pt, sv, tr]

const byTag = new Map(languages.map((language) => [language.tag, language]))

/** The language of a BCP 47 tag, such as `de-AT`; English if Parley does not know it. */
export const languageOf = (tag: string): Language => byTag.get(tag.split("-", 1)[0]?.toLowerCase() ?? "") ?? en

/** Applies `make` to each language's data once, and returns the function that finds the result by a BCP 47 tag. */
export const forEachLanguage = <A>(make: (language: Language) => A): ((tag: string) => A) => {
  const made = new Map(languages.map((language) => [language, make(language)]))
  return (tag) => {
    const language = languageOf(tag)
    return made.get(language) ?? make(language)
  }
}
