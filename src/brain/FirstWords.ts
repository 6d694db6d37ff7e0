/** The agent's first message: its template filled in, without the gaps of variables that have no value. */
import { Effect, type Schema } from "effect"
import * as Template from "../catalog/Template.ts"
import { markGaps, withoutGaps } from "../domain/SpokenGaps.ts"

export const firstWords = (template: string, variables: Schema.JsonObject): Effect.Effect<string> => {
  const asked = markGaps(template)
  // A template that could not be filled in is returned as written.
  return Effect.map(Template.render(asked, variables), (text) => (text === asked ? template : withoutGaps(text)).trim())
}
