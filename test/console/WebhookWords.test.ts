import { assert, describe, it } from "@effect/vitest"
import { answerOf } from "../../apps/console/pages/connect/WebhookWords.ts"

describe("a delivery's answer, in a word", () => {
  it.each([
    [200, null, "200"],
    [500, "The endpoint answered 500", "500"],
    [null, "The endpoint did not answer within 15 seconds", "timeout"],
    [null, "The endpoint could not be reached", "no answer"],
    [null, null, "–"],
  ])("%s, %s: %s", (code, error, word) => {
    assert.strictEqual(answerOf(code, error), word)
  })
})
