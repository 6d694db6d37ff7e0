/** The rule packs of the installation: each rule with its source, and whether Parley checks it on each dial. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Page } from "../../shell/Page.tsx"
import { Columns } from "../../ui/Columns.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Tag } from "../../ui/Tag.tsx"
import "../../ui/Table.css"
import "./RulePacksPage.css"

type Pack = Outputs["rulePacks"]["list"]["items"][number]
type Rule = Pack["rules"][number]

export const RulePacksPage = () => {
  const rpc = useRpc()
  const { data, error, refetch } = useQuery(rpc.rulePacks.list.queryOptions({ page_size: 100 }))
  return (
    <Page
      title="Rule packs"
      name="Rule packs"
      second="Templates, not legal advice. A campaign chooses its packs, and Parley checks no rule that is not listed here."
    >
      {data !== undefined ? (
        <Packs packs={data.items} />
      ) : error === null ? (
        <Loading label="Rule packs" />
      ) : (
        <Failed what="The rule packs" error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

const Packs = ({ packs }: { readonly packs: ReadonlyArray<Pack> }) => {
  if (packs.length === 0) {
    return (
      <div className="Table-frame">
        <Empty title="This installation has no rule packs">
          The folder of the setting PARLEY_RULES_DIR has none. Campaigns are then bound by their calling hours alone.
        </Empty>
      </div>
    )
  }
  return (
    <div className="RulePacks">
      {packs.map((pack) => (
        <Panel
          key={pack.id}
          title={pack.name}
          aside={
            <>
              <span className="mono">{pack.id}</span>, version {pack.version}
            </>
          }
        >
          <p className="RulePacks-notice second-line">{pack.notice}</p>
          <div className="RulePacks-rules">
            <table className="Table Table-tall" aria-label={`Rules of ${pack.name}`}>
              <Columns columns={columns} />
              <tbody>
                {pack.rules.map((rule) => (
                  <Row key={rule.id} rule={rule} />
                ))}
              </tbody>
            </table>
          </div>
        </Panel>
      ))}
    </div>
  )
}

const columns = [{ word: "Rule" }, { word: "On each dial" }, { word: "Source", isWide: true }]

const Row = ({ rule }: { readonly rule: Rule }) => (
  <tr>
    <td>
      {rule.title}
      <span className="Table-narrow second-line">{rule.source}</span>
    </td>
    <td className="RulePacks-checked">
      {rule.checked ? <Tag tone="talk">checked</Tag> : <Tag tone="warn">not checked</Tag>}
    </td>
    <td className="Table-wide">
      {rule.source}
      <span className="Table-second">{[rule.status, ...periodOf(rule)].join(" · ")}</span>
    </td>
  </tr>
)

const periodOf = ({ effective_from: from, effective_to: to }: Rule): ReadonlyArray<string> => [
  ...(from === undefined ? [] : [`in force from ${from}`]),
  ...(to === undefined ? [] : [`in force to ${to}`]),
]
