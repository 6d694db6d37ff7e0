/**
 * Where a called party is, as far as rule packs need to know: country and state, and how they were found (decision
 * 0076).
 */

export interface Place {
  /** ISO 3166-1 alpha-2. Null if unknown. */
  readonly country: string | null
  /** The code of a state of the US or a province of Canada, such as `FL`. Null if unknown, or in other countries. */
  readonly state: string | null
  /**
   * `column`: the contact's columns `country` and `state`. `prefix`: the number's prefix, which is a presumption, because
   * people move and keep their numbers. `unknown`: neither names a country.
   */
  readonly found_by: "column" | "prefix" | "unknown"
}
