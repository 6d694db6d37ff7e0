/** A refused start: the rule with its figures, the campaigns that hold the slots, and the ways out. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type Campaign, useCampaignActs } from "../../data/Campaigns.ts"
import { type ProblemBody, problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine, sentence } from "../../ui/ProblemLine.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { joinNames } from "../../words/Figures.ts"

export interface RefusedProps {
  readonly campaign: Pick<Campaign, "id" | "name" | "status" | "max_concurrent_calls">
  readonly problem: ProblemBody
  readonly onClose: () => void
}

export const Refused = (props: RefusedProps) =>
  props.problem.code === "budget_exceeded" ? (
    <BudgetRefused {...props} />
  ) : (
    <Dialog title={`${props.campaign.name} stays as it is`} isOpen onClose={props.onClose}>
      <ProblemLine problem={props.problem} />
      <DialogActs>
        <Button onPress={props.onClose} autoFocus>
          Close
        </Button>
      </DialogActs>
    </Dialog>
  )

type Way = "fewer" | "later" | "other"

const BudgetRefused = ({ campaign, onClose, problem }: RefusedProps) => {
  const rpc = useRpc()
  const { data: running } = useQuery(rpc.account.running.queryOptions())
  const { start, update } = useCampaignActs()
  const limit = Number(problem["concurrent_max"])
  const inUse = Number(problem["in_use"])
  const asked = Number(problem["requested"])
  const left = Math.max(0, limit - inUse)
  const others = running ?? []
  const [largest] = others.toSorted((a, b) => b.max_concurrent_calls - a.max_concurrent_calls)
  const lowered = largest === undefined ? 0 : largest.max_concurrent_calls - (asked - left)
  const ways = [
    ...(left > 0 ? [{ value: "fewer" as const, word: `Start with ${left} slots` }] : []),
    ...(campaign.status === "draft"
      ? [{ value: "later" as const, word: `Start automatically when ${asked} are free` }]
      : []),
    ...(largest !== undefined && lowered > 0
      ? [{ value: "other" as const, word: `Lower ${largest.name} to ${lowered}` }]
      : []),
  ]
  const [chosen, setChosen] = useState<Way>()
  const [failure, setFailure] = useState<ProblemBody>()
  const way = chosen ?? ways[0]?.value
  const act = async () => {
    try {
      if (way === "fewer") await update.mutateAsync({ id: campaign.id, max_concurrent_calls: left })
      if (way === "other" && largest !== undefined) {
        await update.mutateAsync({ id: largest.campaign_id, max_concurrent_calls: lowered })
      }
      // A draft whose time has come queues for the slots.
      if (way === "later") await update.mutateAsync({ id: campaign.id, scheduled_at: new Date().toISOString() })
      else await start.mutateAsync({ id: campaign.id })
      onClose()
    } catch (error) {
      setFailure(problemOf(error))
    }
  }
  const verb =
    way === "fewer" ? `Start with ${left}` : way === "later" ? "Start when they are free" : "Lower it and start"
  return (
    <Dialog title={`Not started: ${asked} slots asked, ${left} left`} isOpen onClose={onClose} isDismissable={false}>
      <p className="quiet">
        Running campaigns use {inUse} of {limit} slots
        {others.length > 0 &&
          `: ${joinNames(others.map(({ max_concurrent_calls, name }) => `${name} ${max_concurrent_calls}`))}`}
        .
      </p>
      {ways.length > 0 && way !== undefined && (
        <div className="Refused-ways">
          <Radios label="Ways out" chosen={way} onChoose={setChosen} choices={ways} />
        </div>
      )}
      {failure !== undefined && <ProblemLine problem={{ ...failure, detail: sentence(failure.detail) }} />}
      <DialogActs
        after={
          <span className="mono quiet">
            {problem.status} {problem.code}
          </span>
        }
      >
        {way !== undefined && (
          <Button look="primary" onPress={act} isDisabled={start.isPending || update.isPending}>
            {verb}
          </Button>
        )}
        <Button onPress={onClose} autoFocus>
          Cancel
        </Button>
      </DialogActs>
    </Dialog>
  )
}
