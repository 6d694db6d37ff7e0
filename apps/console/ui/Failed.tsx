/** Replaces a panel that could not be loaded: what failed, when it is retried, and the request id. Other panels keep working. */
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react"
import { isPassing, problemOf } from "../data/Problem.ts"
import { useNow } from "../shell/Clock.ts"
import { Button } from "./Button.tsx"
import { CopyText } from "./CopyText.tsx"
import { sentence } from "./ProblemLine.tsx"
import "./Failed.css"

export interface FailedProps {
  /** "The calls": what could not be loaded. */
  readonly what: string
  readonly error: unknown
  readonly onRetry: () => void
  /** When the next automatic retry is, in milliseconds since 1970. Absent if there is none. */
  readonly triesAt?: number
  /** For a single item: the sentence to show if it does not exist. */
  readonly notFound?: string
}

export const Failed = ({ error, notFound, onRetry, triesAt, what }: FailedProps) => {
  const problem = problemOf(error)
  if (problem.status === 404 && notFound !== undefined) return <p className="Failed quiet">{notFound}</p>
  const said =
    problem.status === 503
      ? "The server answered 503 while it restarts. Calls in progress continue."
      : problem.status >= 500
        ? `The server answered ${problem.status}.`
        : sentence(problem.detail)
  return (
    <div className="Failed" role="alert">
      <IconAlertTriangle aria-hidden />
      <div className="Failed-words">
        <h2 className="panel-title">{what} could not be loaded</h2>
        <p className="quiet">
          {said} {triesAt !== undefined && isPassing(problem) && <Countdown to={triesAt} />}
        </p>
        <Button icon={<IconRefresh aria-hidden />} onPress={onRetry}>
          Try now
        </Button>
        {problem.request_id !== undefined && (
          <p className="second-line mono">
            Request <CopyText text={problem.request_id} label="the request id" />
          </p>
        )}
      </div>
    </div>
  )
}

const Countdown = ({ to }: { readonly to: number }) => {
  const seconds = Math.max(0, Math.round((to - useNow().getTime()) / 1000))
  return <span aria-hidden>Trying again in {seconds} s.</span>
}
