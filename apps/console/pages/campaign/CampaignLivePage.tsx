/** The live page: how the campaign is doing, when it ends, and why it is slow. */
import type { CampaignView } from "../../data/LiveViews.ts"
import { useSlots } from "../../data/LiveCalls.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { useCampaign, useCurrentView } from "./CurrentCampaign.ts"
import { CallbacksDue } from "./CallbacksDue.tsx"
import { CallsNow } from "./CallsNow.tsx"
import { DispositionCounts } from "./DispositionCounts.tsx"
import { DraftNote } from "./DraftNote.tsx"
import { OutcomesOverTime } from "./OutcomesOverTime.tsx"
import { Progress } from "./Progress.tsx"
import { SlotsNow } from "./SlotsNow.tsx"
import { WhyItWaits } from "./WhyItWaits.tsx"
import "./CampaignLivePage.css"

export const CampaignLivePage = () => {
  const campaign = useCampaign()
  const { error, isConnected, retry, view } = useCurrentView()
  const isOver = campaign.ended_at !== null
  useLiveSign(isOver || campaign.status === "draft" ? undefined : isConnected)
  const isStale = isConnected === false
  if (view === undefined) {
    return error === null ? (
      <Loading label="Figures of the campaign" />
    ) : (
      <Failed what="The figures" error={error} onRetry={retry} />
    )
  }
  return (
    <div className={`Live ${isStale ? "Live-stale" : ""}`}>
      <Progress campaign={campaign} view={view} />
      {isStale && <AsOf at={new Date(view.snapshot.at)} />}
      {campaign.status === "draft" ? <DraftNote campaign={campaign} /> : <Underway view={view} isOver={isOver} />}
    </div>
  )
}

const Underway = ({ isOver, view }: { readonly view: CampaignView; readonly isOver: boolean }) => {
  const campaign = useCampaign()
  const slots = useSlots(view.calls)
  return (
    <div className="Live-columns">
      <div className="Live-main">
        <OutcomesOverTime campaign={campaign} outcomes={view.snapshot.outcomes} />
        <DispositionCounts campaign={campaign} counts={view.snapshot.dispositions} />
        {(!isOver || slots.length > 0) && <CallsNow slots={slots} />}
      </div>
      {!isOver && (
        <div className="Live-side">
          <SlotsNow campaign={campaign} slots={slots} view={view} />
          <CallbacksDue callbacks={view.snapshot.waiting.callbacks} />
          <WhyItWaits campaign={campaign} snapshot={view.snapshot} />
        </div>
      )}
    </div>
  )
}

const AsOf = ({ at }: { readonly at: Date }) => <p className="second-line">As of {at.toLocaleTimeString()}.</p>
