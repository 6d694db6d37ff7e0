/** What needs somebody, the costliest to leave first: what happened, what it means, the one act. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useAccountPulse, useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useTallies } from "../../data/Tallies.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { useMinute } from "../../shell/Clock.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { counted } from "../../words/Figures.ts"
import { clock, placeOf } from "../../words/Times.ts"
import { endWords } from "../campaigns/CampaignWords.ts"
import { LowerAndStart } from "./LowerAndStart.tsx"
import "./NeedsYou.css"

export interface Need {
  readonly id: string
  readonly tone: "warn" | "stop" | "unknown"
  /** What happened, its name in front. */
  readonly subject: string
  readonly text: string
  readonly word: string
  readonly onAct: () => void
  /** In the place of the plain button. */
  readonly act?: ReactNode
}

const slow = { refetchInterval: 10_000 }
const some = { page_size: 50 } as const

/** What ended longer ago than this is history. */
const recent = 24 * 3_600_000

export const useNeeds = (): ReadonlyArray<Need> => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const navigate = useNavigate()
  const zone = useZone()
  const now = useMinute().getTime()
  const pulse = useAccountPulse()
  const newest = useQuery(rpc.campaigns.list.queryOptions(some, slow)).data?.items ?? []
  const waits = useQuery(rpc.campaigns.list.queryOptions({ ...some, state: "waiting" }, slow)).data?.items ?? []
  const paused = useQuery(rpc.campaigns.list.queryOptions({ ...some, state: "paused" }, slow)).data?.items ?? []
  const failed =
    useQuery(rpc.campaigns.list.queryOptions({ ...some, state: "failed", order: "state" }, slow)).data?.items ?? []
  const { data: hooks } = useQuery(rpc.webhooks.list.queryOptions({ page_size: 100 }, slow))
  const begun = newest.filter(({ started_at }) => started_at !== null && now - Date.parse(started_at) < recent)
  const tallies = useTallies(
    begun.map(({ id }) => id),
    10_000,
  )
  const open = (id: string) => () => void navigate({ to: "/$account/campaigns/$id", params: { account: slug, id } })

  const waiting = waits.map((campaign): Need => {
    const left = pulse?.slots.left ?? 0
    const due = campaign.scheduled_at === null ? "" : ` at ${clock(new Date(campaign.scheduled_at), zone)}`
    return {
      id: `waits ${campaign.id}`,
      tone: "warn",
      subject: campaign.name,
      text: `could not start${due}: it asks for ${counted(campaign.max_concurrent_calls, "slot")} and ${left} ${left === 1 ? "is" : "are"} left. It starts by itself when ${campaign.max_concurrent_calls} are free.`,
      word: "Open",
      onAct: open(campaign.id),
      ...(left > 0 && { act: <LowerAndStart id={campaign.id} slots={left} /> }),
    }
  })
  const broken = failed
    .filter(({ ended_at }) => ended_at !== null && now - Date.parse(ended_at) < recent)
    .map((campaign): Need => ({
      id: `failed ${campaign.id}`,
      tone: "stop",
      subject: campaign.name,
      text: `failed: ${endWords(campaign.end_reason)}.`,
      word: "Open",
      onAct: open(campaign.id),
    }))
  const halted = paused
    .filter(({ waiting_for }) => waiting_for === "carrier")
    .map((campaign): Need => ({
      id: `carrier ${campaign.id}`,
      tone: "stop",
      subject: campaign.name,
      text: "was paused, because its carrier failed so many calls. Nobody is called until somebody resumes it.",
      word: "Open",
      onAct: open(campaign.id),
    }))
  const undelivered = (hooks?.items ?? [])
    .filter(({ disabled_reason }) => disabled_reason === "gone")
    .map((hook): Need => ({
      id: `gone ${hook.id}`,
      tone: "stop",
      subject: `Webhook ${new URL(hook.url).hostname}`,
      text: "answered that it is gone, and is told nothing any more.",
      word: "See deliveries",
      onAct: () => void navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: hook.id } }),
    }))
  const held = (hooks?.items ?? [])
    .filter(({ pending_deliveries }) => (pulse?.waiting_deliveries ?? 0) > 0 && pending_deliveries > 0)
    .map((hook): Need => ({
      id: `held ${hook.id}`,
      tone: "stop",
      subject: `Webhook ${new URL(hook.url).hostname}`,
      text: `has not accepted ${counted(hook.pending_deliveries, "delivery", "deliveries")} yet. They are tried again; nothing is lost.`,
      word: "See deliveries",
      onAct: () => void navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: hook.id } }),
    }))
  const unknowns = begun.flatMap((campaign) => {
    const unknown = tallies.get(campaign.id)?.outcomes["unknown"] ?? 0
    return unknown === 0 ? [] : [{ campaign, unknown }]
  })
  const lost = unknowns.map(({ campaign, unknown }): Need => ({
    id: `unknown ${campaign.id}`,
    tone: "unknown",
    subject: `${counted(unknown, "contact")} ended unknown.`,
    text: "The carrier went silent after the dial, so their phones may have rung. Parley does not call them again by itself.",
    word: `Review ${unknown}`,
    onAct: () =>
      void navigate({
        to: "/$account/campaigns/$id/contacts",
        params: { account: slug, id: campaign.id },
        search: { outcome: "unknown" },
      }),
  }))
  const nearlyUsed: ReadonlyArray<Need> =
    pulse !== undefined && pulse.per_day.used > pulse.per_day.limit * 0.8
      ? [
          {
            id: "daily cap",
            tone: "warn",
            subject: `${pulse.per_day.used} of today's ${counted(pulse.per_day.limit, "call")} are used.`,
            text: `Dialling stops at the cap and goes on at midnight in ${placeOf(zone)}.`,
            word: "See caps",
            onAct: () => void navigate({ to: "/$account/account", params: { account: slug } }),
          },
        ]
      : []
  return [...waiting, ...halted, ...broken, ...undelivered, ...held, ...lost, ...nearlyUsed]
}

export const NeedsYou = ({ needs }: { readonly needs: ReadonlyArray<Need> }) => {
  const mayChange = useMayChange()
  if (needs.length === 0) return null
  return (
    <section className="NeedsYou" aria-label="What needs you">
      <ul>
        {needs.map((need, at) => (
          <li key={need.id} className="NeedsYou-line">
            <NeedKey need={need} at={at} />
            {need.tone === "unknown" ? (
              <OutcomeGlyph of="unknown" size={16} />
            ) : (
              <IconAlertTriangle className={`NeedsYou-${need.tone}`} aria-hidden />
            )}
            <p className="NeedsYou-text">
              <strong>{need.subject}</strong> {need.text}
            </p>
            <span className="NeedsYou-acts">
              {mayChange && need.act}
              <Button size="row" look={mayChange && need.act !== undefined ? "quiet" : "second"} onPress={need.onAct}>
                {need.word}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `1` to `9`: the act of that line. */
const NeedKey = ({ at, need }: { readonly need: Need; readonly at: number }) => {
  useShortcut(String(at + 1), `${need.word}: ${need.subject}`, need.onAct, at < 9)
  return null
}
