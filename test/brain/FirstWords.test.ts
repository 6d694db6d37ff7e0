import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { firstWords } from "../../src/brain/FirstWords.ts"

describe("an agent's first words", () => {
  it.effect.each([
    ["Hello {{first_name}}, this is Rosa.", "Hello, this is Rosa."],
    ["Good morning {{ first_name }}! How are you?", "Good morning! How are you?"],
    ["Hi {{first_name}} {{last_name}}, this is Rosa.", "Hi, this is Rosa."],
    ["Thank you for coming, {{first_name}}. I am Rosa.", "Thank you for coming. I am Rosa."],
    ["I am Rosa. Your visit was on {{date}}. Is this a good moment?", "I am Rosa. Is this a good moment?"],
    ["I am Rosa. Your visit to Dr. Osei was on {{date}}. Is it due?", "I am Rosa. Is it due?"],
    ['Hello {{first_name | default: "there"}}, this is Rosa.', "Hello there, this is Rosa."],
    ["Hello {{known}}, this is {{agent | default: 'Rosa'}}.", "Hello Ada, this is Rosa."],
    ["You owe {{amount}}, {{known}}: {{flag}}.", "You owe 0, Ada: false."],
    ["{% if first_name %}Hello {{first_name}}.{% else %}Hello.{% endif %}", "Hello."],
    ["{% raw %}Say {{name}}.{% endraw %}", "Say {{name}}."],
    ["On {{date}} we met", "On we met"],
  ])("%s", ([template = "", expected]) =>
    Effect.map(firstWords(template, { known: "Ada", amount: 0, flag: false, first_name: "" }), (said) =>
      assert.strictEqual(said, expected),
    ),
  )
})
