/** Each column with the variable it fills, and the first rows. A cell that would leave a gap is marked. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"
import { Loading } from "../../ui/Loading.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count, counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { useTemplates, usedIn } from "./Templates.ts"
import "../../ui/Table.css"
import "./ColumnsAndPrompt.css"

const shown = 4

export const ColumnsAndPrompt = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  const templates = useTemplates(campaign.agent_id)
  const { data } = useQuery(
    rpc.campaigns.contacts.list.queryOptions({ campaign_id: campaign.id, page_size: shown }, { staleTime: 60_000 }),
  )
  const rows = data?.items ?? []
  const columns = campaign.variables?.columns ?? Object.keys(rows[0]?.custom_fields ?? {})
  const gaps = campaign.variables?.empty ?? []
  const unknown = campaign.variables?.unknown ?? []
  return (
    <Panel
      title={
        <>
          Columns and the prompt
          {gaps.length > 0 && (
            <Tag tone="warn">
              {counted(gaps.length, "variable")} {gaps.length === 1 ? "has" : "have"} gaps
            </Tag>
          )}
          {unknown.length > 0 && <Tag tone="stop">{counted(unknown.length, "variable")} without a column</Tag>}
        </>
      }
      aside={`first ${rows.length} of ${count(campaign.counts.total)} rows`}
    >
      {data === undefined ? (
        <Loading label="First rows" />
      ) : (
        <div className="Columns-frame" role="region" aria-label="First rows" tabIndex={0}>
          <table className="Table Columns">
            <thead>
              <tr>
                <th scope="col">
                  <span className="mono">phone_number</span>
                  <span className="Table-second">number to call</span>
                </th>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    <span className="mono">{column}</span>
                    <span className="Table-second">
                      {usedIn(templates, column) ? (
                        <span className="Variable">{`{{${column}}}`}</span>
                      ) : column === "time_zone" ? (
                        "calling hours"
                      ) : (
                        "kept for export"
                      )}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ custom_fields, id, phone_number }) => (
                <tr key={id}>
                  <td className="mono">{formatNumber(phone_number)}</td>
                  {columns.map((column) => {
                    const value = custom_fields[column] ?? ""
                    const isGap = value.trim() === "" && gaps.some(({ name }) => name === column)
                    return (
                      <td key={column}>
                        {isGap ? (
                          <Tag tone="warn">empty</Tag>
                        ) : value === "" ? (
                          <span className="quiet">empty</span>
                        ) : (
                          value
                        )}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
