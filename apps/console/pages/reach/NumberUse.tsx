/** What a phone number may do now, its calls and how many are answered, and its rest, which a user begins and ends here. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { beat, type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useAct } from "../../data/Act.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { Button } from "../../ui/Button.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { answeredWords, stateWords } from "../../words/CallerNumbers.ts"
import { count } from "../../words/Figures.ts"
import { moment } from "../../words/Times.ts"
import { Facts } from "../calls/Facts.tsx"
import { RestDialog } from "./RestDialog.tsx"

type CallerNumber = Outputs["callerNumbers"]["get"]

export interface NumberUseProps {
  readonly id: string
  /** The number as shown to the user. */
  readonly name: string
}

export const NumberUse = ({ id, name }: NumberUseProps) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const { isBusy, problem, run } = useAct()
  const [isResting, setResting] = useState(false)
  const use = useQuery(rpc.callerNumbers.get.queryOptions({ id }, { refetchInterval: beat * 5 }))
  const { data } = use
  const refresh = () => queries.invalidateQueries({ queryKey: rpc.callerNumbers.pathKey() })
  const endRest = () =>
    run(async () => {
      await client.callerNumbers.endRest.mutate({ id })
      await refresh()
      notice({ text: `Campaigns call from ${name} again.` })
    })
  return (
    <Panel
      title="Calls from this number"
      {...(mayChange &&
        data !== undefined && {
          aside: (
            <>
              <Button size="row" onPress={() => setResting(true)}>
                {data.rest === null ? "Let it rest…" : "Change the rest…"}
              </Button>{" "}
              {data.rest !== null && (
                <Button size="row" isDisabled={isBusy} onPress={endRest}>
                  Call again
                </Button>
              )}
            </>
          ),
        })}
    >
      <PanelBody>
        <Awaiting of="calls from this number" asked={use} />
        {data !== undefined && <Use number={data} />}
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
      {isResting && data !== undefined && (
        <RestDialog number={data} name={name} onRested={refresh} onClose={() => setResting(false)} />
      )}
    </Panel>
  )
}

const Use = ({ number }: { readonly number: CallerNumber }) => {
  const zone = useZone()
  const now = useNow()
  const { answers, calls_today, max_calls_per_day, rest } = number
  return (
    <Facts
      facts={[
        { label: "Now", value: stateWords(number, now, zone) },
        ...(rest === null
          ? []
          : [
              { label: "Resting since", value: moment(new Date(rest.since), now, zone) },
              { label: "Why", value: <Why rest={rest} /> },
            ]),
        {
          label: "Calls today",
          value: `${count(calls_today)}${max_calls_per_day === null ? "" : ` of ${count(max_calls_per_day)}`}`,
        },
        { label: "Answered today", value: answeredWords(answers.day_1) },
        { label: "Answered in the last 7 days", value: answeredWords(answers.day_7) },
        { label: "Answered in the last 30 days", value: answeredWords(answers.day_30) },
      ]}
    />
  )
}

const Why = ({ rest }: { readonly rest: NonNullable<CallerNumber["rest"]> }) => {
  const { slug } = useAccount()
  const { campaign_id, detail, reason } = rest
  if (reason === "user") return detail ?? "A user let it rest and noted no reason."
  return (
    <>
      {detail}{" "}
      {campaign_id !== null && (
        <Link to="/$account/campaigns/$id" params={{ account: slug, id: campaign_id }}>
          Open the campaign
        </Link>
      )}
    </>
  )
}
