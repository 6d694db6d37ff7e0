/** A refusal or failure, inline: its sentence, its code, and the request id to quote. */
import { IconAlertTriangle } from "@tabler/icons-react"
import type { ProblemBody } from "../data/Problem.ts"
import { CopyText } from "./CopyText.tsx"
import "./ProblemLine.css"

export const ProblemLine = ({ problem }: { readonly problem: ProblemBody }) => (
  <div className="ProblemLine" role="alert">
    <IconAlertTriangle aria-hidden />
    <div>
      <p>{sentence(problem.detail)}</p>
      <p className="ProblemLine-id">
        {problem.status > 0 && `${problem.status} `}
        {problem.code}
        {problem.request_id !== undefined && (
          <>
            {" · Request "}
            <CopyText text={problem.request_id} label="the request id" />
          </>
        )}
      </p>
    </div>
  </div>
)

/** Adds a full stop if there is none: the server's details come with and without one. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
