/** Whether anything needs somebody, and whether the slots are used: the title answers, the rest says why. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMayChange } from "../../data/Account.tsx"
import { beat, usePulseQuery, useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useMinute } from "../../shell/Clock.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Page } from "../../shell/Page.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { count, counted, share } from "../../words/Figures.ts"
import { localClock, longDate } from "../../words/Times.ts"
import { NewCampaignLink } from "../campaigns/NewCampaignLink.tsx"
import { CallsAMinute } from "./CallsAMinute.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { JustEnded } from "./JustEnded.tsx"
import { NeedsYou, useNeeds } from "./NeedsYou.tsx"
import { Running } from "./Running.tsx"
import { SlotsAndCaps } from "./SlotsAndCaps.tsx"
import "./OverviewPage.css"

export const OverviewPage = () => {
  const rpc = useRpc()
  const zone = useZone()
  const now = useMinute()
  const mayChange = useMayChange()
  const pulse = usePulseQuery()
  const often = { refetchInterval: beat, placeholderData: keepPreviousData }
  const activity = useQuery(rpc.account.activity.queryOptions(undefined, often))
  const running = useQuery(rpc.account.running.queryOptions(undefined, often))
  const needs = useNeeds()
  useLiveSign(pulse.data === undefined ? undefined : !pulse.isError && pulse.failureCount === 0)

  const dialling = pulse.data?.campaigns["running"] ?? 0
  const today = activity.data?.today
  const isNew = pulse.data !== undefined && Object.keys(pulse.data.campaigns).length === 0
  return (
    <Page
      name="Overview"
      title={pulse.data === undefined ? "Overview" : titleOf(dialling, needs.length)}
      second={
        <>
          {longDate(now, zone)}, {localClock(now, zone)}
          {today !== undefined &&
            ` · ${counted(today.calls, "call")} today${today.ended > 0 ? `, ${share(today.answered, today.ended)} answered by a person` : ""}`}
        </>
      }
      acts={mayChange && <NewCampaignLink />}
    >
      <ReadOnlyNote />
      {pulse.isError && pulse.data === undefined && (
        <Failed what="The overview" error={pulse.error} onRetry={() => pulse.refetch()} />
      )}
      {pulse.data === undefined && !pulse.isError && <Loading label="Overview" />}
      {isNew && <FirstSteps />}
      {pulse.data !== undefined && !isNew && (
        <>
          <NeedsYou needs={needs} />
          <div className="Overview-columns">
            <div className="Overview-main">
              <Running campaigns={running.data} />
              <CallsAMinute minutes={activity.data?.minutes} limit={pulse.data.per_minute.limit} />
            </div>
            <div className="Overview-side">
              <SlotsAndCaps pulse={pulse.data} firstWordMs={activity.data?.first_word_ms ?? null} />
              <JustEnded />
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
