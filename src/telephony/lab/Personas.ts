/** The simulated people of the lab: what they say, and how they behave on the line. */
import type { Effect } from "effect"

/** How a party reacts to the agent's words. */
export interface Answer {
  /** Null: not a word. */
  readonly text: string | null
  readonly hangs_up: boolean
  /** Whether the party says this while the agent speaks next. */
  readonly interrupts: { readonly text: string; readonly after_ms: number } | null
}

export interface Party {
  /** The party's words when it takes the call; null if it waits for the caller to speak. */
  readonly opening: string | null
  /** Its answers to the agent, in order; after the last it says goodbye and hangs up. Null: it never speaks. */
  readonly lines: ReadonlyArray<string> | null
  /** Chooses an answer by the agent's words, in place of `lines`. */
  readonly answer?: (heard: string) => Effect.Effect<Answer>
  /** A machine: it beeps after its opening, and records. */
  readonly machine?: boolean
  readonly hangs_up_after_ms?: number
  /** The line breaks while the agent speaks. */
  readonly drops_mid_sentence?: boolean
  /** It talks over the agent. */
  readonly barges_in?: boolean
}

/** The people that talk, by the tens digit of the number, 0 to 5. */
export const personas: readonly [Party, Party, Party, Party, Party, Party] = [
  { opening: "Hello?", lines: ["Yes, speaking.", "Yes, that's fine.", "No, that's all."] },
  {
    opening: "Hello, who is this?",
    lines: [
      "Oh, hello! I was just out in the garden, it has been such a lovely day.",
      "Well, my sister told me all about you last week.",
      "Yes, I think that sounds good to me.",
      "No, I have talked enough for today.",
    ],
  },
  {
    opening: "Hello?",
    lines: ["What are your opening hours?", "And how can I reach you?", "Thank you, that was all."],
  },
  { opening: "Yes, hello?", lines: ["What time is it right now?", "Good, thank you. Yes, that works for me."] },
  {
    opening: "Hello, I'm driving.",
    lines: ["I can't talk now. Can you call me back tomorrow at 3 pm?", "Thanks, talk to you then."],
  },
  { opening: "Hello?", lines: ["The 14th of March would suit me.", "Yes, that is right."] },
]

/** The party says this after the agent's goodbye in place of its next line, and after its last line. */
export const farewell = "Goodbye."

/** Words a second of a calm speaker (some 155 a minute). */
const wordsPerSecond = 2.6

/** How long it takes to say a text, in milliseconds. */
export const spokenMs = (text: string): number => {
  const words = text.trim().split(/\s+/u).filter(Boolean).length
  return Math.max(300, Math.round((words / wordsPerSecond) * 1000))
}
