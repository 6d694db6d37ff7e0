/** Two texts as one diff: removed lines, added lines, and a few lines around them. */
import { structuredPatch } from "diff"
import { type ReactNode, useMemo } from "react"
import "./LineDiff.css"

/** The number of unchanged lines around each change. */
const around = 2

export const LineDiff = ({ after, before }: { readonly before: string; readonly after: string }) => {
  const lines = useMemo(
    () =>
      structuredPatch("", "", before, after, "", "", { context: around }).hunks.flatMap(({ lines, oldStart }, at) => [
        ...(at > 0 ? [{ sign: "…", text: `line ${oldStart}` }] : []),
        ...lines
          .filter((line) => !line.startsWith("\\"))
          .map((line) => ({ sign: line.charAt(0), text: line.slice(1) })),
      ]),
    [before, after],
  )
  return <DiffLines lines={lines} />
}

/** Shows a unified diff from the server. */
export const UnifiedDiff = ({ diff }: { readonly diff: string }) => {
  const lines = diff
    .split("\n")
    .filter((line) => !/^(?:---|\+\+\+|===|Index:|\\)/.test(line) && line !== "")
    .map((line) =>
      line.startsWith("@@")
        ? { sign: "…", text: `line ${/\+(\d+)/.exec(line)?.[1] ?? ""}` }
        : { sign: line.charAt(0), text: line.slice(1) },
    )
  return <DiffLines lines={lines} />
}

const spoken: Record<string, string> = { "+": "added: ", "-": "removed: " }

const DiffLines = ({ lines }: { readonly lines: ReadonlyArray<{ readonly sign: string; readonly text: string }> }) => (
  <div className="LineDiff" role="group" aria-label="Changed lines">
    {lines.map(({ sign, text }, at): ReactNode => (
      <div
        key={at}
        className={`LineDiff-line ${sign === "+" ? "LineDiff-in" : sign === "-" ? "LineDiff-out" : sign === "…" ? "LineDiff-gap" : ""}`}
      >
        <span className="LineDiff-sign" aria-hidden>
          {sign}
        </span>
        <span className="LineDiff-text">
          {spoken[sign] !== undefined && <span className="unseen">{spoken[sign]}</span>}
          {text}
        </span>
      </div>
    ))}
  </div>
)
