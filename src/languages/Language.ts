/** What an agent needs to know of a language beside its model: fixed sentences to say, and phrases to recognise. Data. */

/** Said without asking a brain. */
export interface Sentences {
  /** After the first silence, and after the second. */
  readonly stillThere: readonly [string, string]
  readonly silenceGoodbye: string
  readonly sayAgain: string
  /** After the first failure of the brain, and after the second. */
  readonly lostThread: string
  readonly outOfOrder: string
  readonly transferFailed: string
  /** To the person who may take a call over, with `{reason}` in the agent's words and the key that takes it. */
  readonly handover: string
  /** Added to it where the call is recorded. */
  readonly recorded: string
  /** To the other side: a person goes on in the agent's place, has handed the call back, or was lost. */
  readonly takenOver: string
  readonly handedBack: string
  readonly personLost: string
  readonly optedOut: string
  readonly timeIsUp: string
  /** Said in turn while a tool is slow, so that none is repeated at once. */
  readonly fillers: readonly [string, string, string, string]
}

/** Written as `Phrases.ts` reads them. */
export type Phrases = ReadonlyArray<string>

export interface OptOuts {
  readonly phrases: Phrases
  /** A wish for ever, unless one of `times` stands near it: "Don't call me before noon." */
  readonly unlessTimed: Phrases
  readonly times: Phrases
}

/**
 * Signs that are none alone, and that survive when a recogniser loses the decisive word: several different ones of a
 * list, in one sentence or in several, are a machine's.
 */
export interface MachineHints {
  readonly screening: Phrases
  readonly full: Phrases
  /** Of the network: the number cannot be reached, whatever the reason. */
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
  /** "Mm-hm", "yes": heard, and no turn while the agent speaks. */
  readonly acknowledgements: Phrases
  /** "Stop", "wait": the agent falls silent at once. */
  readonly stops: Phrases
  readonly farewells: Phrases
  /** Words after which the speaker has more to say. Words that also end sentences, as "an" in German, are left out. */
  readonly unfinished: Phrases
  /** Short answers that are whole, even without a full stop. */
  readonly answers: Phrases
  /** Words in which numbers and addresses are spelled. */
  readonly digits: Phrases
  readonly optOuts: OptOuts
  readonly machines: MachineGreetings
}
