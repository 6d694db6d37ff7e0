/** The overview. Its title says whether anything needs the user and whether the slots are used. The rest says why. */
import { useMayChange } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { type AccountView, useAccountView } from "../../data/LiveViews.ts"
import { useMinute } from "../../shell/Clock.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Page } from "../../shell/Page.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { costsByPart } from "../../words/Costs.ts"
import { counted, money, count, share } from "../../words/Figures.ts"
import { localClock, longDate } from "../../words/Times.ts"
import { NewCampaignLink } from "../campaigns/NewCampaignLink.tsx"
import { CallsAMinute } from "./CallsAMinute.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { JustEnded } from "./JustEnded.tsx"
import { NeedsYou, useNeeds } from "./NeedsYou.tsx"
import { Running } from "./Running.tsx"
import { SlotsAndCaps } from "./SlotsAndCaps.tsx"
import "./OverviewPage.css"

/** ", cost $1.60 (carrier $1.20, models $0.40)"; empty if nothing cost anything. */
const costOf = (cost: AccountView["activity"]["today"]["cost"]): string => {
  if (cost.amount === 0) return ""
  const byPart = costsByPart(cost)
  return `, cost ${money(cost.amount, cost.currency)}${byPart === "" ? "" : ` (${byPart})`}`
}

export const OverviewPage = () => {
  const zone = useZone()
  const now = useMinute()
  const mayChange = useMayChange()
  const { error, isConnected, retry, view } = useAccountView()
  const needs = useNeeds(view)
  useLiveSign(isConnected)

  const today = view?.activity.today
  const isNew = view !== undefined && Object.keys(view.pulse.campaigns).length === 0
  return (
    <Page
      name="Overview"
      title={view === undefined ? "Overview" : titleOf(view.pulse.campaigns["running"] ?? 0, needs.length)}
      second={
        <>
          {longDate(now, zone)}, {localClock(now, zone)}
          {today !== undefined &&
            ` · ${counted(today.calls, "call")} today${today.ended > 0 ? `, ${share(today.answered, today.ended)} answered by a person` : ""}${costOf(today.cost)}`}
        </>
      }
      acts={mayChange && <NewCampaignLink />}
    >
      <ReadOnlyNote />
      {view === undefined &&
        (error === null ? <Loading label="Overview" /> : <Failed what="The overview" error={error} onRetry={retry} />)}
      {isNew && <FirstSteps />}
      {view !== undefined && !isNew && (
        <>
          <NeedsYou needs={needs} />
          <div className="Overview-columns">
            <div className="Overview-main">
              <Running campaigns={view.running} tallies={view.tallies} />
              <CallsAMinute minutes={view.activity.minutes} limit={view.pulse.per_minute.limit} />
            </div>
            <div className="Overview-side">
              <SlotsAndCaps pulse={view.pulse} firstWordMs={view.activity.first_word_ms} />
              <JustEnded calls={view.latest} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

const titleOf = (dialling: number, needs: number): string => {
  const campaigns =
    dialling === 0
      ? "Nothing is dialling"
      : dialling === 1
        ? "1 campaign is dialling"
        : `${count(dialling)} campaigns are dialling`
  if (needs > 0) return `${campaigns}, ${counted(needs, "thing")} ${needs === 1 ? "needs" : "need"} you`
  return dialling === 0 ? "Nothing is dialling. All is well." : `${campaigns}. All is well.`
}
