/**
 * Contacts of a preflight that have several numbers of one person (decision 0087): the order in which the dialler tries
 * them, and the contacts that share a number, so that one waits while another is in a call.
 */
import { orderAfter } from "./AdditionalNumbers.ts"
import type { PreflightNumber, Waiting } from "./PreflightQueue.ts"

/** A person with several numbers, before the simulation. */
export interface PreflightPerson {
  /** All numbers, in the order of the contact. */
  readonly numbers: ReadonlyArray<PreflightNumber>
  /** The number of the last attempt. */
  readonly last: string | null
  /** The numbers of which an attempt found that they do not exist. */
  readonly invalid: ReadonlyArray<string>
}

/** What changes of a person during the simulation. */
export interface PersonState {
  readonly numbers: ReadonlyMap<string, PreflightNumber>
  last: string | null
  readonly invalid: Set<string>
}

export const stateOf = ({ invalid, last, numbers }: PreflightPerson): PersonState => ({
  numbers: new Map(numbers.map((number) => [number.phone_number, number])),
  last,
  invalid: new Set(invalid),
})

/** The numbers that are not known as ones that do not exist. */
export const existingOf = ({ person, phone_number }: Waiting): ReadonlyArray<string> =>
  person === undefined ? [phone_number] : [...person.numbers.keys()].filter((number) => !person.invalid.has(number))

/**
 * The contact with the number whose turn it is, and after it with each of the others, as `PersonNumbers` gives them to a
 * dial pass. A contact with one number is returned itself.
 */
export const inTurn = (contact: Waiting, now: number): ReadonlyArray<Waiting> => {
  const { due_for_callback, lines = [], person } = contact
  if (person === undefined) return [judge(contact, contact, now)]
  const found: Array<Waiting> = []
  for (const line of orderAfter(lines, person.last, due_for_callback)) {
    const number = person.numbers.get(line)
    if (number === undefined || person.invalid.has(line)) continue
    const placed_by = found[0]?.zones ?? number.zones
    found.push(judge({ ...contact, ...number, of: contact, placed_by }, number, now))
  }
  return found.length === 0 ? [judge(contact, contact, now)] : found
}

const judge = (contact: Waiting, { consent_until, listed_until }: PreflightNumber, now: number): Waiting => {
  contact.suppressed = listed_until > now
  contact.lacks_consent = consent_until <= now
  return contact
}

/** Groups contacts that share numbers, also over several contacts. At most one of a group is released at a time. */
export class Households {
  private readonly parents = new Map<string, string>()

  join([first, ...others]: ReadonlyArray<string>): void {
    if (first === undefined) return
    for (const other of others) {
      const [root, joined] = [this.of(first), this.of(other)]
      if (root !== joined) this.parents.set(joined, root)
    }
  }

  /** A number that stands for the group of this one. */
  of(line: string): string {
    let root = line
    for (let parent = this.parents.get(root); parent !== undefined; parent = this.parents.get(root)) root = parent
    // Shortens the path, so that a chain of contacts is walked once.
    for (let at = line; at !== root;) {
      const parent = this.parents.get(at) ?? root
      this.parents.set(at, root)
      at = parent
    }
    return root
  }
}
