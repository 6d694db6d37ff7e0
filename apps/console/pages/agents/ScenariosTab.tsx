/** Rehearses the agent before it calls people: its scenarios, their runs, and the transcript of each call. */
import { IconCheck, IconPlayerPlay, IconX } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { counted } from "../../words/Figures.ts"
import { moment } from "../../words/Times.ts"
import type { AgentParts } from "./Agent.ts"
import { ScenarioEditor } from "./ScenarioEditor.tsx"
import { ScenarioOutcome } from "./ScenarioOutcome.tsx"
import { type Run, useRun, useRuns } from "./ScenarioRuns.ts"
import { authorName } from "./Versions.ts"
import "../../ui/SearchField.css"

const from = "/$account/agents/$id/{-$tab}"

export const ScenariosTab = ({ agent, draft, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const zone = useZone()
  const now = useNow()
  const search = useSearch({ from })
  const runs = useRuns(agent.id)
  const newest = runs.data?.items[0]
  const run = useRun(agent.id, search.run ?? newest?.id)
  const [isEditing, setEditing] = useState(false)
  const begin = useMutation(
    rpc.agents.scenarioRuns.begin.mutationOptions({
      onSuccess: async ({ id }) => {
        await queries.invalidateQueries({ queryKey: rpc.agents.scenarioRuns.pathKey() })
        setEditing(false)
        await navigate({ to: ".", search: (before) => ({ ...before, run: id }) })
      },
    }),
  )
  const runAll = () => begin.mutate({ agent_id: agent.id })
  useShortcut("⌘↵", "Run the scenarios", runAll, mayChange && newest !== undefined && !begin.isPending)

  if (runs.isPending) return <Loading label="Scenarios" />
  if (runs.isError) return <Failed what="The scenarios" error={runs.error} onRetry={() => runs.refetch()} />
  const editor = isEditing && (
    <ScenarioEditor
      agent={agent}
      scenarios={run.data?.scenarios}
      isBusy={begin.isPending}
      error={begin.error}
      onRun={(scenarios) => begin.mutate({ agent_id: agent.id, scenarios })}
      onClose={() => setEditing(false)}
    />
  )
  if (newest === undefined) {
    return (
      <div className="Panel">
        <Empty
          title="No scenarios yet"
          acts={
            mayChange && (
              <Button look="primary" onPress={() => setEditing(true)}>
                Write the first
              </Button>
            )
          }
          note="Nobody is called, and nothing that a tool writes stays."
        >
          A scenario is a caller with a plan, what the tools answer, and what must hold of the call: said, never said,
          asked of which tool.
        </Empty>
        {editor}
      </div>
    )
  }
  return (
    <div className="Agent-tab">
      <div className="ListHead">
        <p className="quiet">
          {run.data !== undefined && runSentence(run.data)}
          {draft.isDirty && " They call what is saved, not what is typed."}
        </p>
        {mayChange && (
          <span className="Kit-row">
            <Button onPress={() => setEditing(true)}>Edit the scenarios</Button>
            <Button
              look="primary"
              shortcut="⌘↵"
              icon={<IconPlayerPlay aria-hidden />}
              isDisabled={begin.isPending || newest.status === "running"}
              onPress={runAll}
            >
              Run all
            </Button>
          </span>
        )}
      </div>
      {begin.isError && !isEditing && <ProblemLine problem={problemOf(begin.error)} />}
      <div className="Scenarios">
        <div className="Scenarios-list">
          {run.isPending && <Loading label="Run" />}
          {run.isError && <Failed what="The run" error={run.error} onRetry={() => run.refetch()} />}
          {run.data?.scenarios.map((scenario, at) => {
            const result = run.data.results[at]
            return (
              <ScenarioOutcome
                key={`${run.data.id} ${scenario.name}`}
                scenario={scenario}
                result={result}
                isRunning={run.data.status === "running"}
              />
            )
          })}
        </div>
        <Panel title="Runs" aside="newest first">
          <ul className="Scenarios-runs">
            {runs.data.items.map((one) => (
              <li key={one.id}>
                <Link
                  to={from}
                  params={{ account: slug, id: agent.id, tab: "scenarios" }}
                  search={{ run: one.id }}
                  className="Scenarios-run"
                  aria-current={one.id === run.data?.id ? "true" : undefined}
                  activeProps={{}}
                >
                  {one.status === "running" ? null : one.passed === true ? (
                    <IconCheck aria-hidden className="Agent-good" />
                  ) : (
                    <IconX aria-hidden className="Agent-bad" />
                  )}
                  <span>
                    {one.status === "running" ? "Running" : `${one.counts.passed} of ${one.counts.scenarios}`}
                    {one.status === "interrupted" && ", interrupted"}
                    <span className="Table-second">
                      {moment(new Date(one.created_at), now, zone)}, {authorName(one.created_by)}
                    </span>
                  </span>
                  <Tag>v{one.agent_version}</Tag>
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
      {editor}
    </div>
  )
}

const runSentence = ({ agent_version, counts, status }: Run): string => {
  if (status === "running")
    return `v${agent_version} is being called: ${counts.passed + counts.failed} of ${counts.scenarios} are over.`
  if (counts.failed === 0 && status === "completed")
    return `v${agent_version} passes ${counts.scenarios === 1 ? "its scenario" : `all ${counts.scenarios} scenarios`}.`
  return `v${agent_version} fails ${counted(counts.failed, "scenario")} of ${counts.scenarios}${status === "interrupted" ? "; the run was interrupted" : ""}.`
}
