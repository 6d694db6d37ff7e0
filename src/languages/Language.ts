/**
 * The data of a language that an agent needs in addition to its model: fixed sentences to say, and phrases to
 * recognise.
 */

/** Sentences that are said without asking the brain. */
export interface Sentences {
  /** After the first silence, and after the second. */
  readonly stillThere: readonly [string, string]
  readonly silenceGoodbye: string
  readonly sayAgain: string
  /** After the first failure of the brain, and after the second. */
  readonly lostThread: string
  readonly outOfOrder: string
  readonly transferFailed: string
  /**
   * Said to the person who may take a call over. `{reason}` stands for the reason in the agent's words; the sentence
   * also names the key that takes the call.
   */
  readonly handover: string
  /** Added to `handover` if the call is recorded. */
  readonly recorded: string
  /** Said to the other party when a person talks in the agent's place, has handed the call back, or was lost. */
  readonly takenOver: string
  readonly handedBack: string
  readonly personLost: string
  readonly optedOut: string
  /** Said at the beginning of a call if a key ends further calls. `{key}` stands for the key. */
  readonly pressToOptOut: string
  readonly timeIsUp: string
  /** Said one after another while a tool is slow, so that none is repeated at once. */
  readonly fillers: readonly [string, string, string, string]
}

/** Phrases in the notation of `Phrases.ts`. */
export type Phrases = ReadonlyArray<string>

/** Words that several phrases share, by name. They are the alternatives that stand in parentheses in a phrase. */
export type Parts = Readonly<Record<string, string>>

export interface OptOuts {
  readonly parts: Parts
  /** Phrases that contain the words of a wish and are none: "why don't you call me", "stop calling me names". */
  readonly lookalikes: Phrases
  readonly phrases: Phrases
  /** Phrases that mean a wish for ever, unless one of `times` is near: "Don't call me before noon." */
  readonly unlessTimed: Phrases
  readonly times: Phrases
}

/**
 * Hints of a machine. One alone is no sign, but several different ones of a list, in one sentence or in several, are.
 * They survive when a recogniser loses the decisive word.
 */
export interface MachineHints {
  readonly screening: Phrases
  readonly full: Phrases
  /** The network says that the number cannot be reached, for whatever reason. */
  readonly announcement: Phrases
}

/** How machines introduce themselves. */
export interface MachineGreetings {
  readonly voicemail: Phrases
  /** A voicemail that takes no message. */
  readonly full: Phrases
  /** An assistant that asks who is calling and why, and lets the called person listen. */
  readonly screening: Phrases
  /** "Please stay on the line": the assistant has passed on what it was told. */
  readonly screened: Phrases
  /** "For sales, press one." */
  readonly menu: Phrases
  /** "The number you have dialled is not in service": the number reaches no person. */
  readonly outOfService: Phrases
  readonly hints: MachineHints
}

export interface Language {
  /** The primary subtag of BCP 47: `en`. */
  readonly tag: string
  readonly sentences: Sentences
  /** How the two keys that are no digits are called in `pressToOptOut`. */
  readonly keyNames: { readonly star: string; readonly hash: string }
  /** "Mm-hm", "yes": the caller listens. It starts no turn while the agent speaks. */
  readonly acknowledgements: Phrases
  /** "Stop", "wait": the agent falls silent at once. */
  readonly stops: Phrases
  readonly farewells: Phrases
  /**
   * Words after which a speaker has more to say. Words that also end sentences, such as "an" in German, are left out.
   */
  readonly unfinished: Phrases
  /** Short answers that are complete, even without a full stop. */
  readonly answers: Phrases
  /** Words in which numbers and addresses are spelled. */
  readonly digits: Phrases
  readonly optOuts: OptOuts
  readonly machines: MachineGreetings
}
