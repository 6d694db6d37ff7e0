/** The account page: the caps with their present use, and the calling hours. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useAccount, useMayManage } from "../../data/Account.tsx"
import { beat, usePulseQuery } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Page } from "../../shell/Page.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyText } from "../../ui/CopyText.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count, counted } from "../../words/Figures.ts"
import { placeOf } from "../../words/Times.ts"
import { CallsAMinute } from "../overview/CallsAMinute.tsx"
import { SlotsAndCaps } from "../overview/SlotsAndCaps.tsx"
import { windowSentence } from "./CallingHours.ts"
import { OwnExport } from "./OwnExport.tsx"
import { OwnMembers } from "./OwnMembers.tsx"
import { retentionFacts } from "./RetentionFields.tsx"
import { SettingsForm } from "./SettingsForm.tsx"
import "./AccountPage.css"

const roles = {
  owner: "Owner: everything, including keys, webhooks and settings",
  member: "Member: everything except keys, webhooks and settings",
  viewer: "Viewer: can see everything, but change nothing",
} as const

export const AccountPage = () => {
  const { role, slug } = useAccount()
  const rpc = useRpc()
  const pulse = usePulseQuery()
  const mayManage = useMayManage()
  const settings = useQuery(rpc.account.settings.get.queryOptions(undefined, { enabled: mayManage }))
  const [isEditing, setEditing] = useState(false)
  const activity = useQuery(
    rpc.account.activity.queryOptions(undefined, { refetchInterval: beat * 2, placeholderData: keepPreviousData }),
  )
  useLiveSign(pulse.data === undefined ? undefined : !pulse.isError && pulse.failureCount === 0)
  if (pulse.data === undefined) {
    return (
      <Page title="Account and caps" name="Account and caps">
        {pulse.isError ? (
          <Failed what="The account" error={pulse.error} onRetry={pulse.refetch} />
        ) : (
          <Loading label="Account" />
        )}
      </Page>
    )
  }
  const { account, per_day, per_minute, slots } = pulse.data
  const today = activity.data?.today
  const facts = [
    { label: "Name", value: account.name },
    { label: "Account", value: <CopyText text={slug} label="the account" /> },
    { label: "Time zone", value: `${placeOf(account.time_zone)} (${account.time_zone})` },
    { label: "Calling hours", value: windowSentence(account.calling_window) },
    { label: "Concurrent calls", value: count(slots.limit) },
    { label: "Calls per minute", value: count(per_minute.limit) },
    {
      label: "Calls per day",
      value: `${count(per_day.limit)}, from midnight to midnight in ${placeOf(account.time_zone)}`,
    },
    ...(settings.data === undefined ? [] : retentionFacts(settings.data)),
    { label: "Your role", value: roles[role] },
  ]
  return (
    <Page
      title={`${slots.campaign + slots.other} of ${count(slots.limit)} slots in a call`}
      name="Account and caps"
      second={
        today === undefined
          ? "Account and caps"
          : `Account and caps · ${counted(today.calls, "call")} today, ${count(per_day.limit - per_day.used)} left`
      }
    >
      <div className="Account-columns">
        <div className="Account-main">
          <Panel
            title="Account"
            aside={
              settings.data === undefined ? (
                "set by an owner; caps by the platform’s administrator"
              ) : (
                <Button size="row" onPress={() => setEditing(true)}>
                  Change settings
                </Button>
              )
            }
          >
            <PanelBody>
              <dl className="Account-facts">
                {facts.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </PanelBody>
          </Panel>
          {mayManage && <OwnMembers />}
          {mayManage && <OwnExport zone={account.time_zone} />}
          <CallsAMinute minutes={activity.data?.minutes} limit={per_minute.limit} />
        </div>
        <SlotsAndCaps pulse={pulse.data} firstWordMs={activity.data?.first_word_ms ?? null} />
      </div>
      {isEditing && settings.data !== undefined && (
        <SettingsForm settings={settings.data} onClose={() => setEditing(false)} />
      )}
    </Page>
  )
}
