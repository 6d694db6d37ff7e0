import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { heardText } from "../../src/speech/HeardText.ts"

/**
 * When each word of a sentence begins in the voice of espeak-ng 1.51 at 185 words a minute, by its own word events, and
 * when its sound ends; in milliseconds.
 */
type Spoken = readonly [sentence: string, beginsAndEnd: ReadonlyArray<number>]
const spoken: ReadonlyArray<Spoken> = [
  ["We are open from nine to five.", [0, 107, 232, 530, 765, 1013, 1142, 1569]],
  [
    "Your order was sent yesterday and should arrive within three days.",
    [0, 156, 424, 624, 958, 1553, 1742, 1961, 2321, 2630, 2853, 3287],
  ],
  [
    "Could you please tell me the number of your customer account?",
    [0, 168, 263, 569, 836, 981, 1091, 1425, 1550, 1682, 2126, 2616],
  ],
  [
    "The office is closed on Sundays, and on public holidays.",
    [0, 98, 433, 568, 1007, 1173, 1830, 2003, 2170, 2569, 3153],
  ],
  [
    "It costs twenty dollars a month, and you can cancel at any time.",
    [0, 151, 568, 950, 1281, 1335, 1854, 2035, 2125, 2328, 2747, 2860, 3022, 3451],
  ],
  ["Let me look that up for you, one moment please.", [0, 228, 350, 567, 784, 1029, 1212, 1521, 1744, 2121, 2595]],
  ["A technician will call you back before noon tomorrow.", [0, 52, 590, 762, 1044, 1164, 1418, 1708, 1935, 2390]],
  [
    "Thank you very much for your patience, and have a nice day.",
    [0, 341, 452, 710, 972, 1153, 1291, 1987, 2164, 2354, 2410, 2654, 3005],
  ],
  ["Wir haben von neun bis siebzehn Uhr geöffnet.", [0, 150, 504, 691, 1076, 1220, 1779, 1956, 2451]],
  [
    "Guten Tag, hier ist Rosa von der Praxis, Sie haben am Montag einen Termin.",
    [0, 279, 767, 968, 1147, 1518, 1720, 1837, 2475, 2605, 2958, 3066, 3490, 3705, 4198],
  ],
  [
    "Ihre Bestellung wurde gestern verschickt und kommt in drei Tagen an.",
    [0, 182, 621, 861, 1227, 1814, 2008, 2348, 2480, 2699, 3051, 3260],
  ],
  ["Können Sie mir bitte Ihre Kundennummer sagen?", [0, 242, 377, 507, 761, 947, 1404, 1826]],
  ["Einen Augenblick bitte, ich sehe sofort nach.", [0, 217, 694, 1178, 1294, 1526, 1940, 2320]],
  ["Abrimos de nueve a cinco de la tarde.", [0, 381, 501, 780, 850, 1204, 1331, 1435, 1851]],
  [
    "Hola, soy Rosa de la clínica, usted tiene una cita el lunes.",
    [0, 375, 585, 892, 1020, 1124, 1779, 2120, 2414, 2597, 2877, 3013, 3489],
  ],
  ["Su pedido salió ayer y debería llegar en tres días.", [0, 153, 529, 865, 1135, 1214, 1605, 1918, 2043, 2292, 2702]],
  ["¿Me puede decir su número de cliente, por favor?", [0, 119, 452, 798, 970, 1268, 1395, 2016, 2202, 2615]],
  ["Nous sommes ouverts de neuf heures à dix-sept heures.", [0, 262, 660, 1111, 1232, 1469, 1711, 2038, 2662, 3047]],
  [
    "Bonjour, ici Rosa de la clinique, vous avez un rendez-vous lundi.",
    [0, 642, 881, 1189, 1318, 1422, 2063, 2319, 2597, 2748, 3376, 3765],
  ],
  [
    "Votre commande est partie hier et arrivera dans trois jours.",
    [0, 229, 690, 894, 1277, 1457, 1605, 1978, 2268, 2517, 3014],
  ],
]

describe("what was heard of a text", () => {
  const text = "We are open from nine to five."
  const heard: ReadonlyArray<readonly [played: number, heard: string]> = [
    [0, ""],
    [150, ""],
    [300, "We"],
    [1_000, "We are"],
    [2_000, "We are open from"],
    [2_999, "We are open from nine to"],
    [3_000, text],
    [9_000, text],
  ]
  for (const [played, words] of heard) {
    it(`after ${played} of 3,000 ms is "${words}"`, () =>
      assert.strictEqual(heardText(text, played, 3_000, "en"), words))
  }

  it("is by the length of what is said, not of what is written", () => {
    // "12.50 euros and no more": the amount is over after half of it.
    const amount = "€12.50 and no more"
    const heard = (played: number) => heardText(amount, played, 2_300, "en")
    assert.deepStrictEqual([400, 1_150, 1_300, 1_700].map(heard), ["", "", "€12.50", "€12.50 and"])
    const number = "Call +14155550100 now please"
    assert.strictEqual(heardText(number, 2_000, 4_000, "en"), "Call")
    assert.strictEqual(heardText(number, 3_400, 4_000, "en"), "Call +14155550100")
  })

  const anything = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc
      .array(
        fc.constantFrom(
          "€5",
          "12,50 €",
          "7 %",
          "a.b@c.example",
          "+14155550100",
          "(415) 555-0100",
          "2026-11-21",
          "now",
          ".",
        ),
        { maxLength: 8 },
      )
      .map((words) => words.join(" ")),
  )

  it("is whole words from its beginning, never less with more time", () => {
    fc.assert(
      fc.property(anything, fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), (text, a, b, length) => {
        const heard = (played: number) => heardText(text, played, length, "en")
        const [early, late] = [heard(Math.min(a, b)), heard(Math.max(a, b))]
        assert.isTrue(text.startsWith(late))
        assert.isTrue(late.startsWith(early))
        assert.isTrue(early === text || early === "" || /^(?:\s|$)/u.test(text.slice(early.length)))
      }),
    )
  })

  it("is within one word of the truth in 99 % of all cuts of a real voice, and has no word that had not begun", () => {
    let [cuts, near] = [0, 0]
    for (const [sentence, times] of spoken) {
      const length = times.at(-1) ?? 0
      for (let played = 0; played < length; played += 10) {
        const heard = heardText(sentence, played, length, "en")
        const words = heard === "" ? 0 : heard.split(" ").length
        const begun = times.filter((at) => at < played).length
        const ended = times.slice(1).filter((at) => at <= played).length
        assert.isAtMost(words, begun, `"${heard}" after ${played} ms`)
        cuts++
        if (Math.abs(words - ended) <= 1) near++
      }
    }
    assert.isAbove(cuts, 5_000)
    assert.isAtLeast(near / cuts, 0.99)
  })
})
