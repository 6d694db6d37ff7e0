/** Tells a viewer, at the top of a page, that they cannot change it. */
import { useMayChange } from "../data/Account.tsx"

export const ReadOnlyNote = () => (useMayChange() ? null : <p className="second-line">You can look, not change.</p>)
