import { assert, describe, it } from "@effect/vitest"
import { patienceMs } from "../../src/speech/Endpointing.ts"

describe("how long somebody is waited for who has said", () => {
  it.each([
    ["What are your opening hours?", 300],
    ["I would like to book a visit.", 300],
    ["Yes", 300],
    ["thank you", 300],
    ["tomorrow morning", 600],
    ["", 600],
    ["I would like to.", 1_500],
    ["and then I thought, um", 1_500],
    ["My name is", 1_500],
    ["Well...", 1_500],
    ["Mornings would be best,", 1_500],
    ["My number is four one five", 1_200],
    ["It is 415 555.", 1_200],
    ["Is it at 5?", 300],
    ["That is A D A", 1_200],
    ["Wie sind Ihre Öffnungszeiten?", 300],
  ] as const)("%s: %d ms", (text, ms) => {
    assert.strictEqual(patienceMs(text), ms)
  })
})
