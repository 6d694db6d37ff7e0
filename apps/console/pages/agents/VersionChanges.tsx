/** The changes of a version, field by field. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { fieldWord, shownText } from "./FieldWords.ts"
import { LineDiff, UnifiedDiff } from "./LineDiff.tsx"
import type { VersionChange } from "./Versions.ts"

export const VersionChanges = ({ agentId, version }: { readonly agentId: string; readonly version: number }) => {
  const rpc = useRpc()
  const diff = useQuery(rpc.agents.versions.diff.queryOptions({ agent_id: agentId, version: String(version) }))
  if (diff.isPending) return <Loading label="Changes" />
  if (diff.isError) return <Failed what="The changes" error={diff.error} onRetry={() => diff.refetch()} />
  if (diff.data.changes.length === 0) return <p className="quiet">Nothing differs.</p>
  return (
    <div className="Agent-diffs">
      {diff.data.changes.filter(isSeen).map((change) => (
        <Panel key={change.path} title={placeOf(change)} aside={change.kind}>
          <div className="Agent-diff-inside">
            {change.diff === null ? (
              <LineDiff before={textOf(change, "before")} after={textOf(change, "after")} />
            ) : (
              <UnifiedDiff diff={change.diff} />
            )}
          </div>
        </Panel>
      ))}
    </div>
  )
}

/** The first version adds every field. Those without a text would be empty panels, so they are hidden. */
const isSeen = (change: VersionChange): boolean =>
  change.diff !== null || textOf(change, "before") !== "" || textOf(change, "after") !== ""

const textOf = ({ kind, ...change }: VersionChange, side: "before" | "after"): string =>
  (kind === "added" && side === "before") || (kind === "removed" && side === "after") ? "" : shownText(change[side])

/** `/agent/system_prompt` → System prompt; `/tools/book_slot/enabled` → Tool book_slot: enabled. */
const placeOf = ({ after, before, path }: VersionChange): string => {
  const [kind = "", name = "", ...rest] = path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  if (kind === "agent") return capital([fieldWord(name), ...rest].join(" "))
  const noun = { tools: "Tool", playbooks: "Playbook", faqs: "FAQ" }[kind] ?? kind
  // The path has the FAQ's id, so show the FAQ's text instead.
  const shown = kind === "faqs" ? shownText(after ?? before) : name
  return `${noun} ${shown}${rest.length === 0 ? "" : `: ${rest.join(" ").replaceAll("_", " ")}`}`
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
