/** Every page that needs no chosen item, with its two-letter shortcut. */
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../data/Account.tsx"
import { useShortcut } from "./Shortcuts.ts"

interface Place {
  readonly to: string
  readonly word: string
  readonly keys?: string
}

const lettered = [
  { to: "/$account", word: "Overview", keys: "G O" },
  { to: "/$account/campaigns", word: "Campaigns", keys: "G C" },
  { to: "/$account/calls", word: "Calls", keys: "G L" },
  { to: "/$account/agents", word: "Agents", keys: "G A" },
  { to: "/$account/tools", word: "Tools", keys: "G T" },
] as const

export const places: ReadonlyArray<Place> = [
  ...lettered,
  { to: "/$account/campaigns/new", word: "New campaign" },
  { to: "/$account/callbacks", word: "Callbacks" },
  { to: "/$account/playbooks", word: "Playbooks" },
  { to: "/$account/faqs", word: "FAQs" },
  { to: "/$account/phone-numbers", word: "Phone numbers" },
  { to: "/$account/do-not-call", word: "Do-not-call" },
  { to: "/$account/consents", word: "Consents" },
  { to: "/$account/rule-packs", word: "Rule packs" },
  { to: "/$account/receipts", word: "Receipts" },
  { to: "/$account/api-keys", word: "API keys" },
  { to: "/$account/widget-keys", word: "Widget keys" },
  { to: "/$account/webhooks", word: "Webhooks" },
  { to: "/$account/account", word: "Account and caps" },
  { to: "/$account/audit-log", word: "Audit log" },
  { to: "/admin/accounts", word: "All accounts (platform)" },
]

/** Binds `G` and a letter for each page. */
export const usePlaceKeys = (): void => {
  const { slug } = useAccount()
  const navigate = useNavigate()
  const go = (to: (typeof lettered)[number]["to"]) => () => void navigate({ to, params: { account: slug } })
  const [overview, campaigns, calls, agents, tools] = lettered
  useShortcut(overview.keys, overview.word, go(overview.to))
  useShortcut(campaigns.keys, campaigns.word, go(campaigns.to))
  useShortcut(calls.keys, calls.word, go(calls.to))
  useShortcut(agents.keys, agents.word, go(agents.to))
  useShortcut(tools.keys, tools.word, go(tools.to))
}
