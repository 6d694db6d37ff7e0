/** The tabs of one item. Each is a page with its own URL. */
import { Link, type LinkProps } from "@tanstack/react-router"
import type { ReactNode } from "react"
import "./TabLinks.css"

export interface TabLink extends Pick<LinkProps, "to" | "params"> {
  readonly word: string
  /** The number of items, or a word about a problem. */
  readonly aside?: ReactNode
}

export const TabLinks = ({ label, tabs }: { readonly label: string; readonly tabs: ReadonlyArray<TabLink> }) => (
  <nav className="TabLinks" aria-label={label}>
    {tabs.map(({ aside, word, ...link }) => (
      <Link key={word} {...link} className="TabLinks-tab" activeOptions={{ exact: true, includeSearch: false }}>
        {word}
        {aside !== undefined && <span className="TabLinks-aside">{aside}</span>}
      </Link>
    ))}
  </nav>
)
