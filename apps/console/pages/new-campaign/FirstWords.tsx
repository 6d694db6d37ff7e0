/** The agent's first words for a row of the list, with variables underlined. The user pages through the rows. */
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react"
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "react-aria-components"
import { markGaps, withoutGaps } from "../../../../src/domain/SpokenGaps.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { useTemplates } from "./Templates.ts"
import "../../ui/ActionMenu.css"
import "./FirstWords.css"

/** A character put around filled-in values, so that they can be found in the rendered text. */
const mark = "\u0001"

interface Call {
  readonly fields: Readonly<Record<string, string>>
  readonly phone_number: string
  readonly campaign: string
}

/** Renders as in a call, where an empty value leaves no gap. */
const render = async (template: string, { campaign, fields, phone_number }: Call): Promise<string> => {
  const { Liquid } = await import("liquidjs")
  const marked = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === "" ? "" : `${mark}${value}${mark}`]),
  )
  const given = { campaign: { name: campaign }, now: new Date().toISOString() }
  return withoutGaps(
    await new Liquid({ ownPropertyOnly: true }).parseAndRender(markGaps(template), {
      ...given,
      ...marked,
      phone_number,
    }),
  )
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
    queryFn:
      template === undefined || contact === undefined
        ? skipToken
        : () =>
            render(template, {
              fields: contact.custom_fields,
              phone_number: contact.phone_number ?? "",
              campaign: campaign.name,
            }),
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
