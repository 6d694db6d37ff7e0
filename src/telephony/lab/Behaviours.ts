/** The behaviour of a lab number, by its last two digits: the table of decisions §6, as data. */
import type { Outcome } from "../../domain/Call.ts"
import { type Party, personas } from "./Personas.ts"

export type Behaviour =
  | { readonly _tag: "Answers"; readonly party: Party }
  /** `rings`: seconds of phone time before the refusal; left out if the carrier refuses at once. */
  | {
      readonly _tag: "Refuses"
      readonly outcome: Outcome
      readonly detail: string
      readonly rings?: { readonly least: number; readonly most: number }
    }
  | { readonly _tag: "BusyOnce"; readonly party: Party }

/** Seconds that a phone rings before it is answered. */
export const ringing = { least: 2, most: 6 }

const hello = "Hello?"
const [brief, chatty, asksFaq] = personas

const rows: ReadonlyArray<readonly [from: number, to: number, Behaviour]> = [
  ...personas.map((party, tens) => [tens * 10, tens * 10 + 9, { _tag: "Answers", party }] as const),
  [60, 64, { _tag: "Answers", party: { opening: hello, lines: [], hangs_up_after_ms: 1_500 } }],
  [65, 69, { _tag: "Answers", party: { opening: null, lines: null } }],
  [70, 74, { _tag: "Refuses", outcome: "busy", detail: "486 Busy Here" }],
  [75, 79, { _tag: "Refuses", outcome: "no_answer", detail: "487 after 30 s", rings: { least: 30, most: 30 } }],
  [
    80,
    84,
    {
      _tag: "Answers",
      party: {
        opening:
          "Hello, you have reached my voicemail. I can't take your call right now. Please leave a message after the tone.",
        lines: null,
        machine: true,
      },
    },
  ],
  [85, 87, { _tag: "Refuses", outcome: "rejected", detail: "603 Decline", rings: { least: 1, most: 3 } }],
  [88, 89, { _tag: "Refuses", outcome: "invalid_number", detail: "404 Not Found" }],
  [90, 92, { _tag: "Refuses", outcome: "carrier_error", detail: "503 Service Unavailable" }],
  [93, 94, { _tag: "BusyOnce", party: brief }],
  [95, 95, { _tag: "Answers", party: { opening: hello, lines: [], drops_mid_sentence: true } }],
  [96, 97, { _tag: "Answers", party: { ...chatty, barges_in: true } }],
  [98, 98, { _tag: "Answers", party: { opening: hello, lines: ["I want to speak to a real person, please."] } }],
  [
    99,
    99,
    { _tag: "Answers", party: { opening: hello, lines: ["Please take me off your list and never call me again."] } },
  ],
]

export const behaviourOf = (number: string): Behaviour => {
  const digits = Number(number.slice(-2))
  const row = rows.find(([from, to]) => digits >= from && digits <= to)
  return row?.[2] ?? { _tag: "Answers", party: asksFaq }
}
