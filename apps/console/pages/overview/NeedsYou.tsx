/** Problems that need a user, most costly first: what happened, what it means, and one action. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import type { AccountView } from "../../data/LiveViews.ts"
import { useRpc } from "../../data/Rpc.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { counted } from "../../words/Figures.ts"
import { clock, inSeconds, placeOf } from "../../words/Times.ts"
import { endWords } from "../campaigns/CampaignWords.ts"
import { LowerAndStart } from "./LowerAndStart.tsx"
import { firstWordLimitMs } from "./SlotsAndCaps.tsx"
import "./NeedsYou.css"

export interface Need {
  readonly id: string
  readonly tone: "warn" | "stop" | "unknown"
  /** What happened, beginning with the item's name. */
  readonly subject: string
  readonly text: string
  readonly word: string
  readonly onAct: () => void
  /** Replaces the plain button. */
  readonly act?: ReactNode
}

const seldom = { refetchInterval: 10_000 }

/** Empty until the view has arrived. */
export const useNeeds = (view: AccountView | undefined): ReadonlyArray<Need> => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const navigate = useNavigate()
  const zone = useZone()
  // The server allows an account 100 webhooks, so this one page is the whole list.
  const { data: hooks } = useQuery(rpc.webhooks.list.queryOptions({ page_size: 100 }, seldom))
  if (view === undefined) return []
  const { needy, pulse } = view
  const open = (id: string) => () => void navigate({ to: "/$account/campaigns/$id", params: { account: slug, id } })

  const waits = needy.filter(({ state }) => state === "waiting")
  const waiting = waits.map((campaign): Need => {
    const { left } = pulse.slots
    const due = campaign.scheduled_at === null ? "" : ` at ${clock(new Date(campaign.scheduled_at), zone)}`
    return {
      id: `waits ${campaign.id}`,
      tone: "warn",
      subject: campaign.name,
      text: `could not start${due}: it asks for ${counted(campaign.max_concurrent_calls, "slot")} and ${left} ${left === 1 ? "is" : "are"} left. It starts automatically when ${campaign.max_concurrent_calls} are free.`,
      word: "Open",
      onAct: open(campaign.id),
      ...(left > 0 && { act: <LowerAndStart id={campaign.id} slots={left} /> }),
    }
  })
  const broken = needy
    .filter(({ state }) => state === "failed")
    .map((campaign): Need => ({
      id: `failed ${campaign.id}`,
      tone: "stop",
      subject: campaign.name,
      text: `failed: ${endWords(campaign.end_reason)}.`,
      word: "Open",
      onAct: open(campaign.id),
    }))
  const halted = needy
    .filter(({ state, waiting_for }) => state === "paused" && waiting_for === "carrier")
    .map((campaign): Need => ({
      id: `carrier ${campaign.id}`,
      tone: "stop",
      subject: campaign.name,
      text: "was paused, because its carrier failed too many calls. Check the number's credentials, then resume it.",
      word: "Open",
      onAct: open(campaign.id),
    }))
  const unpaid = needy
    .filter(({ state, waiting_for }) => state === "running" && waiting_for === "spend_cap")
    .map(({ id, missing_price, name }): Need => ({
      id: `money ${id}`,
      tone: missing_price === null ? "warn" : "stop",
      subject: name,
      text:
        missing_price === null
          ? "waits, because what is left of its limit on spending doesn't cover the next call. Raise the limit to continue."
          : `waits, because a price is missing. ${missing_price}`,
      word: "Open",
      onAct: open(id),
    }))
  const undelivered = (hooks?.items ?? [])
    .filter(({ disabled_reason }) => disabled_reason === "gone")
    .map((hook): Need => ({
      id: `gone ${hook.id}`,
      tone: "stop",
      subject: `Webhook ${new URL(hook.url).hostname}`,
      text: "answered that it is gone, and gets no more events.",
      word: "See deliveries",
      onAct: () => void navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: hook.id } }),
    }))
  const urls = new Map((hooks?.items ?? []).map(({ id, url }) => [id, url]))
  // The counts come from the view, as in the side bar. The list of webhooks may be older.
  const held = pulse.waiting_deliveries
    .flatMap(({ deliveries, webhook_id }) => {
      const url = urls.get(webhook_id)
      return url === undefined ? [] : [{ id: webhook_id, url, deliveries }]
    })
    .map((hook): Need => ({
      id: `held ${hook.id}`,
      tone: "stop",
      subject: `Webhook ${new URL(hook.url).hostname}`,
      text: `has not accepted ${counted(hook.deliveries, "delivery", "deliveries")} yet. ${hook.deliveries === 1 ? "It is" : "They are"} tried again; nothing is lost.`,
      word: "See deliveries",
      onAct: () => void navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: hook.id } }),
    }))
  const unknowns = needy.filter(({ unknown }) => unknown > 0)
  const lost = unknowns.map(({ id, unknown }): Need => ({
    id: `unknown ${id}`,
    tone: "unknown",
    subject: `${counted(unknown, "contact")} ended unknown.`,
    text: "The carrier went silent after the dial, so their phones may have rung. Parley does not call them again automatically.",
    word: `Review ${unknown}`,
    onAct: () =>
      void navigate({
        to: "/$account/campaigns/$id/contacts",
        params: { account: slug, id },
        search: { outcome: "unknown" },
      }),
  }))
  const firstWord = view.activity.first_word_ms
  const slow: ReadonlyArray<Need> =
    firstWord !== null && firstWord > firstWordLimitMs
      ? [
          {
            id: "first word",
            tone: "warn",
            subject: `One caller in 100 waited ${inSeconds(firstWord)} or longer for the first word.`,
            text: "That is of the last hour; after 2 s callers tend to hang up. An answered call shows where the time goes.",
            word: "See calls",
            onAct: () =>
              void navigate({ to: "/$account/calls", params: { account: slug }, search: { outcome: "answered" } }),
          },
        ]
      : []
  const nearlyUsed: ReadonlyArray<Need> =
    pulse.per_day.used > pulse.per_day.limit * 0.8
      ? [
          {
            id: "daily cap",
            tone: "warn",
            subject: `${pulse.per_day.used} of today's ${counted(pulse.per_day.limit, "call")} are used.`,
            text: `Dialling stops at the cap and continues at midnight in ${placeOf(zone)}.`,
            word: "See caps",
            onAct: () => void navigate({ to: "/$account/account", params: { account: slug } }),
          },
        ]
      : []
  return [...waiting, ...unpaid, ...halted, ...broken, ...undelivered, ...held, ...lost, ...slow, ...nearlyUsed]
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

/** The keys `1` to `9` run the action of a line. */
const NeedKey = ({ at, need }: { readonly need: Need; readonly at: number }) => {
  useShortcut(String(at + 1), `${need.word}: ${need.subject}`, need.onAct, at < 9)
  return null
}
