/** What an agent says first: its template filled in, without the holes that a variable without a value leaves. */
import { Effect, type Schema } from "effect"
import * as Template from "../catalog/Template.ts"
import { markGaps, withoutGaps } from "../domain/SpokenGaps.ts"

export const firstWords = (template: string, variables: Schema.JsonObject): Effect.Effect<string> => {
  const asked = markGaps(template)
  // One that could not be filled in comes back as it is.
  return Effect.map(Template.render(asked, variables), (text) => (text === asked ? template : withoutGaps(text)).trim())
}
