/** Says which page the sign-in returns to. */
import { IconChevronLeft } from "@tabler/icons-react"

const pages: Record<string, string> = {
  campaigns: "Campaigns",
  calls: "Calls",
  agents: "Agents",
  tools: "Tools",
  playbooks: "Playbooks",
  faqs: "FAQs",
  webhooks: "Webhooks",
}

/** The page's kind by its path. Names of items are not shown before the user has signed in. */
const pageOf = (next: string): string => pages[next.split(/[/?#]/)[2] ?? ""] ?? "Overview"

export const ReturnNote = ({ next }: { readonly next: string }) => (
  <p className="SignIn-return">
    <IconChevronLeft aria-hidden />
    <span>
      Your session ended. You’ll return to <strong>{pageOf(next)}</strong>.
    </span>
  </p>
)
