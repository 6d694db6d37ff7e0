/** How long an agent waits for the other side on a line, in milliseconds of phone time. */

export interface Manners {
  /** Before the agent speaks first. */
  readonly first_word_ms: number
  /** After the last sound of a person who said this. */
  readonly endpoint_ms: (text: string) => number
}

/** For a line that hears whole utterances: its recogniser has already waited for their end. */
export const wholeUtterances: Manners = { first_word_ms: 1_200, endpoint_ms: () => 300 }

/** A written message is complete, and the other side need not say hello first. */
export const inWriting: Manners = { first_word_ms: 0, endpoint_ms: () => 0 }
