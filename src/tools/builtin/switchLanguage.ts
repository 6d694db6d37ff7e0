/** switch_language: from now on the agent listens and speaks in another of its languages. */
import { Effect, Option, Schema, Struct } from "effect"
import { Language, Voice } from "../../domain/Agent.ts"
import { isObject, textIn } from "../../domain/JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

const isLanguage = Schema.is(Language)
const decodeVoice = Schema.decodeUnknownOption(Voice.mapFields(Struct.map(Schema.optionalKey)))

/** Names a language for the model, without the region. */
const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" })

/** Switches only to languages that the tool's settings for the agent list in `languages`, by their tags. */
export const switchLanguage: BuiltIn = (args, { config, controls }) => {
  const { languages, voices } = config
  const listed = Array.isArray(languages) ? languages.filter(isLanguage) : []
  if (listed.length < 2) {
    return new ToolFailed({
      code: "languages_not_configured",
      reason: "This agent speaks one language: list its languages in `languages` of the tool's config for this agent",
    })
  }
  const wanted = textIn(args, "language")?.toLowerCase()
  const language =
    listed.find((tag) => tag.toLowerCase() === wanted) ??
    listed.find((tag) => primaryOf(tag) === primaryOf(wanted ?? ""))
  if (language === undefined) {
    return new ToolFailed({ code: "language_not_available", reason: `language must be one of ${listed.join(", ")}` })
  }
  const voice = Option.getOrElse(decodeVoice(isObject(voices) ? voices[language] : undefined), () => ({}))
  return Effect.as(controls.switchLanguage(language, voice), {
    status: "switched",
    language,
    speak: names.of(primaryOf(language)) ?? language,
  })
}

const primaryOf = (tag: string): string => tag.toLowerCase().replace(/-.*$/u, "")
