/** What people and machines say when they take a call, in twelve languages, for the benchmark of who answered. */
import { english } from "./English.ts"
import { others } from "./Others.ts"

/** The sentences of one party. `{name}` stands for a name. Every third entry of a list is held out. */
export type Sayings = ReadonlyArray<ReadonlyArray<string>>

export interface Greetings {
  /** Names of espeak-ng's voices. */
  readonly voices: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly person: Sayings
  readonly voicemail: Sayings
  readonly full: Sayings
  /** What the assistant asks, and what it says while the called person decides. */
  readonly screening: Sayings
  readonly menu: Sayings
  readonly announcement: Sayings
}

export const greetings: ReadonlyArray<Greetings> = [english, ...others]
