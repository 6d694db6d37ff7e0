/** Whether it goes well, when it is done, and, if it is slow, why. */
import { useCampaignLive } from "../../data/CampaignLive.ts"
import { useLiveCalls } from "../../data/LiveCalls.ts"
import { beat } from "../../data/AccountPulse.ts"
import { useTallies } from "../../data/Tallies.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { useCampaign } from "./CurrentCampaign.ts"
import { CallsNow } from "./CallsNow.tsx"
import { DraftNote } from "./DraftNote.tsx"
import { OutcomesOverTime } from "./OutcomesOverTime.tsx"
import { Progress } from "./Progress.tsx"
import { SlotsNow } from "./SlotsNow.tsx"
import { WhyItWaits } from "./WhyItWaits.tsx"
import "./CampaignLivePage.css"

/** Where contacts are is counted anew with each snapshot, up to as many as that costs nothing. */
const manyContacts = 20_000

export const CampaignLivePage = () => {
  const campaign = useCampaign()
  const { isConnected, snapshot } = useCampaignLive(campaign.id)
  const slots = useLiveCalls(campaign.id)
  const isOver = campaign.ended_at !== null
  useLiveSign(isOver || campaign.status === "draft" ? undefined : isConnected)
  const pace = campaign.counts.total > manyContacts ? beat * 5 : beat
  const tally = useTallies([campaign.id], campaign.status === "draft" ? false : pace).get(campaign.id)
  const isStale = isConnected === false
  return (
    <div className={`Live ${isStale ? "Live-stale" : ""}`}>
      <Progress campaign={campaign} snapshot={snapshot} tally={tally} />
      {isStale && snapshot !== undefined && <AsOf at={new Date(snapshot.at)} />}
      {campaign.status === "draft" ? (
        <DraftNote campaign={campaign} />
      ) : (
        <div className="Live-columns">
          <div className="Live-main">
            <OutcomesOverTime campaign={campaign} tally={tally} snapshot={snapshot} />
            {(!isOver || slots.length > 0) && <CallsNow slots={slots} />}
          </div>
          {!isOver && (
            <div className="Live-side">
              <SlotsNow campaign={campaign} slots={slots} />
              {snapshot !== undefined && <WhyItWaits campaign={campaign} snapshot={snapshot} />}
            </div>
          )}
        </div>
      )}
    </div>
  )
}

const AsOf = ({ at }: { readonly at: Date }) => <p className="second-line">As of {at.toLocaleTimeString()}.</p>
