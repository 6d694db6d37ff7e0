/** The checks before people are called. Each line is in order or needs a look. */
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"
import { count, counted, money } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { hoursWords, useHours } from "../campaign/SettingsLine.ts"
import { useScenarioScore } from "../agents/ScenarioRuns.ts"
import { useCalledPeople, usePreflight, usual } from "./Preflights.ts"
import "./ReviewChecklist.css"

interface Check {
  readonly text: string
  readonly isFine: boolean
}

export const ReviewChecklist = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  const { data: agent } = useQuery(rpc.agents.get.queryOptions({ id: campaign.agent_id }))
  const score = useScenarioScore(campaign.agent_id)
  const cost = useCostWords(campaign)
  const { duplicates, invalid, rows } = campaign.import
  const gaps = [...(campaign.variables?.unknown ?? []), ...(campaign.variables?.empty ?? [])]
  const hours = useHours(campaign)
  const left = invalid + duplicates
  const called = useCalledPeople(campaign.id)
  const skipped = called === undefined ? undefined : campaign.counts.total - called
  const checks: ReadonlyArray<Check> = [
    {
      text:
        left === 0
          ? `${rows === 1 ? "The row" : `All ${count(rows)} rows`} of the list ${rows === 1 ? "is" : "are"} valid.`
          : `${count(left)} of ${counted(rows, "row")} are left out: ${count(invalid)} invalid, ${count(duplicates)} twice in the list.`,
      isFine: left === 0,
    },
    {
      text:
        gaps.length === 0
          ? "Every variable of the agent has a value."
          : `Variables without a value for some people: ${gaps.map(({ name }) => name).join(", ")}.`,
      isFine: gaps.length === 0,
    },
    {
      text:
        score === undefined
          ? "No scenario of this agent has been run."
          : score.passed === score.scenarios
            ? `All ${counted(score.scenarios, "scenario")} passed in the latest run.`
            : `${count(score.scenarios - score.passed)} of ${counted(score.scenarios, "scenario")} did not pass in the latest run.`,
      isFine: score !== undefined && score.passed === score.scenarios,
    },
    ...(hours === undefined
      ? []
      : [
          {
            text: `Calls are placed ${hoursWords(hours)}${hours === null ? ", nights included" : ""}.`,
            isFine: hours !== null,
          },
        ]),
    { text: cost.text, isFine: cost.isKnown },
    ...(skipped === undefined || skipped === 0
      ? []
      : [
          {
            text: `${counted(skipped, "person", "people")} of the list ${skipped === 1 ? "is" : "are"} not called, for the reasons beside.`,
            isFine: false,
          },
        ]),
    ...(agent === undefined
      ? []
      : [{ text: `${agent.name} v${agent.version} calls, and the campaign keeps this version.`, isFine: true }]),
  ]
  return (
    <ul className="ReviewChecklist" aria-label="Before you start">
      {checks.map(({ isFine, text }) => (
        <li key={text} className={isFine ? "" : "ReviewChecklist-look"}>
          {isFine ? <IconCheck aria-label="In order" /> : <IconAlertTriangle aria-label="Needs a look" />}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  )
}

/** The estimate of the cost uses this many of the agent's latest calls. */
const sampled = 100

const useCostWords = ({ agent_id, id }: OpenCampaign): { readonly text: string; readonly isKnown: boolean } => {
  const rpc = useRpc()
  const preflight = usePreflight(id, usual).data
  const ended = useQuery(
    rpc.calls.list.queryOptions({ agent_id, status: "completed", page_size: sampled }, { staleTime: 30_000 }),
  ).data?.items
  if (preflight === undefined || ended === undefined) return { text: "The cost is being estimated.", isKnown: true }
  if (ended.length === 0) return { text: "The cost is unknown: this agent has made no calls yet.", isKnown: false }
  const each = ended.reduce((sum, { cost }) => sum + cost.amount, 0) / ended.length
  return {
    text: `About ${money(each * preflight.attempts)} for ${counted(preflight.attempts, "call")}, at ${money(each)} per call in this agent's latest ${counted(ended.length, "call")}.`,
    isKnown: true,
  }
}
