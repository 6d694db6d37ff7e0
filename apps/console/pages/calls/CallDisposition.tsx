/** What came of the call in the operator's own words, and the choice of another one. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useAct } from "../../data/Act.ts"
import { useMayChange } from "../../data/Account.tsx"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { authorName, type OpenCall } from "./Call.ts"

type Disposition = NonNullable<OpenCall["disposition"]>

const sources = { agent: "set by the agent", extracted: "read from the transcript", person: "set by a person" } as const

const sourceOf = ({ by, source }: Disposition): string => (by === null ? sources[source] : `set by ${authorName(by)}`)

/** Shown if the agent has dispositions, or had them when one was set. */
export const CallDisposition = ({ call: { agent_id, disposition, id } }: { readonly call: OpenCall }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const { problem, run } = useAct()
  const agent = useQuery(rpc.agents.get.queryOptions({ id: agent_id }))
  const listed = agent.data?.dispositions ?? []
  if (disposition === null && (listed.length === 0 || !mayChange)) return null
  const choose = (key: string) =>
    run(async () => {
      await client.calls.setDisposition.mutate({ id, key })
      await queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
    })
  return (
    <Panel title="Disposition" aside={disposition === null ? "not set" : sourceOf(disposition)}>
      <PanelBody>
        {mayChange && listed.length > 0 ? (
          <SelectMenu
            label="Disposition"
            form="plain"
            placeholder={disposition?.label ?? "Choose what came of the call"}
            chosen={listed.find(({ key }) => key === disposition?.key)?.key ?? null}
            onChoose={(key) => void choose(key)}
            choices={listed.map(({ final, key, label }) => ({
              id: key,
              word: label,
              ...(final === true ? { note: "ends the contact" } : {}),
            }))}
          />
        ) : (
          <p>{disposition?.label}</p>
        )}
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
