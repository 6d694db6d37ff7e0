/** The note on a draft: no contact is called before a user starts it or its time comes. */
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useNow } from "../../shell/Clock.ts"
import { counted } from "../../words/Figures.ts"
import { planned } from "../../words/Times.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"

export const DraftNote = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const zone = useZone()
  const now = useNow()
  const { counts, max_concurrent_calls, scheduled_at, waiting_for } = campaign
  const ready = `${counted(counts.total, "contact")} ${counts.total === 1 ? "is" : "are"} ready`
  return (
    <Panel title={waiting_for === "budget" ? "It waits for free slots" : "Nobody is called yet"}>
      <PanelBody>
        <p>
          {waiting_for === "budget"
            ? `It needs ${counted(max_concurrent_calls, "slot")} and starts automatically when they are free.`
            : scheduled_at === null
              ? `${ready}.`
              : `${ready}. It starts automatically ${planned(new Date(scheduled_at), now, zone)}.`}
        </p>
      </PanelBody>
    </Panel>
  )
}
