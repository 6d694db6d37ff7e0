/** Links to every page, with counts of what is live or in trouble. The account is above, the slots and the user below. */
import {
  IconAdjustmentsHorizontal,
  IconAlignLeft,
  IconBan,
  IconBook,
  IconHash,
  IconHelpCircle,
  IconHistory,
  IconHome,
  IconKey,
  IconMessage,
  IconPhone,
  IconPhoneCall,
  IconReceipt,
  IconScale,
  IconTool,
  IconUser,
  IconUserCheck,
  IconWebhook,
} from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import type { ComponentType } from "react"
import { useAccount } from "../data/Account.tsx"
import { type AccountPulse, useAccountPulse } from "../data/AccountPulse.ts"
import { counted } from "../words/Figures.ts"
import { SlotStrip } from "../figures/SlotStrip.tsx"
import { AccountSwitcher } from "./AccountSwitcher.tsx"
import { PersonMenu } from "./PersonMenu.tsx"
import "./SideBar.css"

interface Entry {
  readonly to: string
  readonly word: string
  readonly icon: ComponentType<{ "aria-hidden": true }>
  /** A count, shown only if something is live or in trouble. */
  readonly count?: (pulse: AccountPulse) => string | undefined
  readonly isTrouble?: boolean
  readonly isExact?: boolean
}

const some = (value: number, word: string) => (value === 0 ? undefined : `${counted(value, word, word)}`)

const sumOf = (webhooks: AccountPulse["waiting_deliveries"]) =>
  webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0)

const groups: ReadonlyArray<{ readonly title?: string; readonly entries: ReadonlyArray<Entry> }> = [
  {
    title: "Operate",
    entries: [
      { to: "/$account", word: "Overview", icon: IconHome, isExact: true },
      {
        to: "/$account/campaigns",
        word: "Campaigns",
        icon: IconAlignLeft,
        count: ({ campaigns }) => some(campaigns["running"] ?? 0, "running"),
      },
      { to: "/$account/callbacks", word: "Callbacks", icon: IconPhoneCall },
      {
        to: "/$account/calls",
        word: "Calls",
        icon: IconPhone,
        count: ({ slots }) => some(slots.campaign + slots.other, "live"),
      },
    ],
  },
  {
    title: "Build",
    entries: [
      { to: "/$account/agents", word: "Agents", icon: IconUser },
      { to: "/$account/tools", word: "Tools", icon: IconTool },
      { to: "/$account/playbooks", word: "Playbooks", icon: IconBook },
      { to: "/$account/faqs", word: "FAQs", icon: IconHelpCircle },
    ],
  },
  {
    title: "Reach",
    entries: [
      { to: "/$account/phone-numbers", word: "Phone numbers", icon: IconHash },
      { to: "/$account/do-not-call", word: "Do-not-call", icon: IconBan },
      { to: "/$account/consents", word: "Consents", icon: IconUserCheck },
      { to: "/$account/rule-packs", word: "Rule packs", icon: IconScale },
      { to: "/$account/receipts", word: "Receipts", icon: IconReceipt },
    ],
  },
  {
    title: "Connect",
    entries: [
      { to: "/$account/api-keys", word: "API keys", icon: IconKey },
      { to: "/$account/widget-keys", word: "Widget keys", icon: IconMessage },
      {
        to: "/$account/webhooks",
        word: "Webhooks",
        icon: IconWebhook,
        count: ({ waiting_deliveries }) => some(sumOf(waiting_deliveries), "waiting"),
        isTrouble: true,
      },
    ],
  },
  {
    entries: [
      { to: "/$account/account", word: "Account and caps", icon: IconAdjustmentsHorizontal },
      { to: "/$account/audit-log", word: "Audit log", icon: IconHistory },
    ],
  },
]

export const SideBar = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const account = useAccount()
  const pulse = useAccountPulse()
  return (
    <>
      {isOpen && <button type="button" className="SideBar-shade" aria-label="Close the menu" onClick={onClose} />}
      <aside className={`SideBar ${isOpen ? "SideBar-open" : ""}`} aria-label="Account and pages">
        <AccountSwitcher />
        <nav className="SideBar-nav" aria-label="Console">
          {groups.map(({ entries, title }) => (
            <div key={title ?? ""} className="SideBar-group">
              {title !== undefined && <h2 className="SideBar-title">{title}</h2>}
              <ul>
                {entries.map(({ count, icon: Icon, isExact, isTrouble, to, word }) => {
                  const said = pulse && count?.(pulse)
                  return (
                    <li key={to}>
                      <Link
                        to={to}
                        params={{ account: account.slug }}
                        className="SideBar-entry"
                        onClick={onClose}
                        activeOptions={{ exact: isExact ?? false, includeSearch: false }}
                      >
                        <Icon aria-hidden />
                        <span className="SideBar-word">{word}</span>
                        {said !== undefined && (
                          <span className={`SideBar-count ${isTrouble ? "SideBar-trouble" : ""}`}>{said}</span>
                        )}
                      </Link>
                    </li>
                  )
                })}
              </ul>
            </div>
          ))}
        </nav>
        <div className="SideBar-foot">
          {pulse !== undefined && (
            <Link to="/$account/account" params={{ account: account.slug }} className="SideBar-slots">
              <span>
                <strong className="name">
                  {pulse.slots.campaign + pulse.slots.other} of {pulse.slots.limit}
                </strong>{" "}
                <span className="quiet">slots in a call</span>
              </span>
              <SlotStrip slots={pulse.slots} size="foot" />
            </Link>
          )}
          <PersonMenu />
        </div>
      </aside>
    </>
  )
}
