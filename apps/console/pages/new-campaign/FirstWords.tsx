/** The first words as a row of the list will hear them, the variables underlined; paged through the rows. */
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "react-aria-components"
import { useRpc } from "../../data/Rpc.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { useTemplates } from "./Templates.ts"
import "../../ui/ActionMenu.css"
import "./FirstWords.css"

/** Around what a row fills in, so that it is found again in what was rendered. */
const mark = "\u0001"

const rendered = async (template: string, fields: Readonly<Record<string, string>>): Promise<string> => {
  const { Liquid } = await import("liquidjs")
  const marked = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === "" ? "" : `${mark}${value}${mark}`]),
  )
  return new Liquid().parseAndRender(template, marked)
}

export const FirstWords = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  const [row, setRow] = useState(1)
  const template = useTemplates(campaign.agent_id)?.first_message
  const total = campaign.counts.total
  const { data } = useQuery(
    rpc.campaigns.contacts.list.queryOptions(
      { campaign_id: campaign.id, page: row - 1, page_size: 1 },
      { placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  const [contact] = data?.items ?? []
  const words = useQuery({
    queryKey: ["first words", template, contact?.id],
    queryFn: () => rendered(template ?? "", contact?.custom_fields ?? {}),
    enabled: template !== undefined && contact !== undefined,
    placeholderData: keepPreviousData,
  })
  if (template === undefined || template === "") return null
  const step = (by: number) => setRow(Math.min(Math.max(row + by, 1), total))
  return (
    <Panel
      title={`First words, as row ${count(row)} will hear them`}
      aside={
        <span className="FirstWords-pager">
          <Button className="ActionMenu-button" aria-label="Row before" isDisabled={row === 1} onPress={() => step(-1)}>
            <IconChevronLeft aria-hidden />
          </Button>
          row {count(row)} of {count(total)}
          <Button
            className="ActionMenu-button"
            aria-label="Next row"
            isDisabled={row === total}
            onPress={() => step(1)}
          >
            <IconChevronRight aria-hidden />
          </Button>
        </span>
      }
    >
      <PanelBody>
        <p className="FirstWords">
          “
          {(words.data ?? "").split(mark).map((part, at) =>
            at % 2 === 1 ? (
              <mark key={at} className="FirstWords-filled">
                {part}
              </mark>
            ) : (
              part
            ),
          )}
          ”
        </p>
      </PanelBody>
    </Panel>
  )
}
