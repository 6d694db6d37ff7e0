/** For a viewer, at the top of a page whose acts are absent. */
import { useMayChange } from "../data/Account.tsx"

export const ReadOnlyNote = () => (useMayChange() ? null : <p className="second-line">You can look, not change.</p>)
