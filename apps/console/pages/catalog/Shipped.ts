/** Built-in items, and whether the account has changed them. */

export interface Shipped {
  readonly is_default: boolean
  readonly modified_from_default: boolean
}

export const shippedWord = ({ is_default, modified_from_default }: Shipped): string | undefined =>
  is_default ? (modified_from_default ? "Shipped, changed" : "Shipped") : undefined
