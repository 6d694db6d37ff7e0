/** A link from a list without matches to the same list without filters. */
import { LinkButton } from "./LinkButton.tsx"

export const ClearFilters = () => (
  <LinkButton to="." search={{}}>
    Clear filters
  </LinkButton>
)
