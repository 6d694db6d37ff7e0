/** Out of a list in which nothing fits: the same list without its filters. */
import { LinkButton } from "./LinkButton.tsx"

export const ClearFilters = () => (
  <LinkButton to="." search={{}}>
    Clear filters
  </LinkButton>
)
