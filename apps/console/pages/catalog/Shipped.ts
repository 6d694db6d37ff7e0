/** What comes with Parley, and whether somebody here has changed it. */

export interface Shipped {
  readonly is_default: boolean
  readonly modified_from_default: boolean
}

export const shippedWord = ({ is_default, modified_from_default }: Shipped): string | undefined =>
  is_default ? (modified_from_default ? "Shipped, changed" : "Shipped") : undefined
