/** The sign in the top bar that says whether the page is live, and what it means if it is not. */
import { IconRefresh } from "@tabler/icons-react"
import { useNow } from "./Clock.ts"
import { useLiveState } from "./LiveState.ts"
import "./LiveSign.css"

/** Seconds without a connection after which the user may want to act. */
const longLost = 30

export const LiveSign = () => {
  const state = useLiveState()
  if (state._tag === "None" || state._tag === "Lost") return null
  return (
    <span className="LiveSign">
      <span className="StateSign-dot" />
      Live
    </span>
  )
}

export const LiveBanner = () => {
  const state = useLiveState()
  const isShown = state._tag === "Lost" || state._tag === "Back"
  return (
    <div role="status">
      {isShown && state._tag === "Back" && (
        <p className="LiveBanner LiveBanner-back">Back after {state.afterSeconds} s, nothing missed.</p>
      )}
      {isShown && state._tag === "Lost" && <Lost since={state.since} />}
    </div>
  )
}

const Lost = ({ since }: { readonly since: number }) => {
  const seconds = Math.max(0, Math.round((useNow().getTime() - since) / 1000))
  return (
    <p className="LiveBanner">
      <IconRefresh aria-hidden />
      <span>
        <strong>
          Connection lost <span aria-hidden>{seconds} s</span> ago.
        </strong>{" "}
        Reconnecting. Campaigns continue without this page.
      </span>
      {seconds >= longLost && (
        <button type="button" className="LiveBanner-again" onClick={() => location.reload()}>
          Reload
        </button>
      )}
    </p>
  )
}
