/** A list of items with the chosen one beside it. Each entry is a link. A bar marks the chosen entry. */
import { Link, type LinkProps } from "@tanstack/react-router"
import { type ReactNode, useRef } from "react"
import { useListKeys } from "../shell/ListKeys.ts"
import "./SideList.css"

export interface SideEntry extends Pick<LinkProps, "to" | "params"> {
  readonly id: string
  readonly name: ReactNode
  /** Below the name at the left, such as a state. */
  readonly state?: ReactNode
  /** Below the name at the right. */
  readonly aside?: ReactNode
}

export interface SideListProps {
  readonly label: string
  readonly entries: ReadonlyArray<SideEntry>
  readonly chosen: string | undefined
}

export const SideList = ({ chosen, entries, label }: SideListProps) => {
  const list = useRef<HTMLElement>(null)
  useListKeys(list)
  return (
    <nav ref={list} className="SideList" aria-label={label}>
      {entries.map(({ aside, id, name, state, ...link }) => (
        <Link
          key={id}
          {...link}
          search={(before) => before}
          className="SideList-entry Table-link"
          aria-current={id === chosen ? "page" : undefined}
          activeProps={{}}
        >
          <span className="SideList-name">{name}</span>
          {state !== undefined && <span className="SideList-state">{state}</span>}
          {aside !== undefined && <span className="SideList-aside">{aside}</span>}
        </Link>
      ))}
    </nav>
  )
}

/** Puts a list beside the chosen item. Below 900 px the URL decides which of them is shown. */
export const SideBySide = ({
  children,
  isChosen,
  list,
}: {
  readonly list: ReactNode
  readonly isChosen: boolean
  readonly children: ReactNode
}) => (
  <div className={`SideBySide ${isChosen ? "SideBySide-chosen" : ""}`}>
    <div className="SideBySide-list">{list}</div>
    <div className="SideBySide-one">{children}</div>
  </div>
)
