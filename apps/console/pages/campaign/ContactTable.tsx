/** Contacts as rows of one line. Only the rows in sight are rendered, and the URL holds the page in sight. */
import { useNavigate } from "@tanstack/react-router"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { memo, type MouseEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react"
import { useZone } from "../../data/AccountPulse.ts"
import { type ContactRows, pageSize } from "../../data/ContactRows.ts"
import { type Contact, givenName } from "../../data/Contacts.ts"
import { useMinute } from "../../shell/Clock.ts"
import { useListKeys } from "../../shell/ListKeys.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { ContactOutcome, whenWords } from "./ContactOutcome.tsx"
import "../../ui/Table.css"
import "./ContactTable.css"

const rowHeight = 34
/** Pixels of the scrolled content that the top bar covers, and the pager below. */
const covered = 64
const coveredBelow = 48
/** Rows are requested once they have been in sight for this many milliseconds. */
const settles = 80
/** Milliseconds without scrolling until the URL is updated. */
const rests = 250

export interface ContactTableProps {
  readonly rows: ContactRows
  /** The page in the URL, from 1. */
  readonly page: number
  readonly opened: string | undefined
  readonly onOpen: (id: string) => void
  /** Called with the pages in sight, from 0. */
  readonly onSight: (pages: ReadonlyArray<number>) => void
}

export const ContactTable = ({ onOpen, onSight, opened, page, rows }: ContactTableProps) => {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState<number>()
  const zone = useZone()
  const minute = useMinute().getTime()
  useLayoutEffect(() => {
    if (body.current !== null) setTop(body.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const list = useWindowVirtualizer({
    count: rows.total,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top ?? 0,
    scrollPaddingStart: covered,
    scrollPaddingEnd: coveredBelow,
    useFlushSync: false,
  })
  useListKeys(body)
  usePageOfUrl(page, top, list)
  useSight(list.range, onSight)
  /** Does not scroll if the row is visible already. */
  const goTo = useEffectEvent((index: number, from: number) => {
    const at = from + index * rowHeight - window.scrollY
    if (at < covered || at > window.innerHeight - coveredBelow - rowHeight) list.scrollToIndex(index, { align: "auto" })
  })
  const openedAt = opened === undefined ? undefined : rows.indexOf(opened)
  useEffect(() => {
    if (openedAt !== undefined && top !== undefined) goTo(openedAt, top)
  }, [openedAt, top])
  return (
    <div
      className={`Table-frame ContactTable ${rows.isBehind ? "ContactTable-behind" : ""}`}
      role="table"
      aria-label="Contacts"
      aria-rowcount={rows.total + 1}
      aria-busy={rows.isBehind}
    >
      <div className="ContactTable-row ContactTable-head" role="row" aria-rowindex={1}>
        <span role="columnheader">Row</span>
        <span role="columnheader">Number</span>
        <span role="columnheader">Name</span>
        <span role="columnheader">Last outcome</span>
        <span role="columnheader">When</span>
      </div>
      <div ref={body} className="ContactTable-body" role="rowgroup" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const contact = rows.at(index)
          return (
            <Row
              key={index}
              contact={contact}
              index={index}
              offset={start - list.options.scrollMargin}
              isOpen={contact !== undefined && contact.id === opened}
              minute={minute}
              zone={zone}
              onOpen={onOpen}
            />
          )
        })}
      </div>
    </div>
  )
}

type List = ReturnType<typeof useWindowVirtualizer>

/** Scrolls to the URL's page, and writes the page at which scrolling stops into the URL. */
const usePageOfUrl = (page: number, top: number | undefined, list: List) => {
  const navigate = useNavigate({ from: "/$account/campaigns/$id/contacts" })
  const first = Math.max(0, Math.floor(((list.scrollOffset ?? 0) + covered - (top ?? 0)) / rowHeight))
  const present = Math.floor(first / pageSize) + 1
  /** The last page on which the URL and the list agreed, and the page that was in sight before. */
  const agreed = useRef(1)
  const before = useRef(present)
  const goTo = useEffectEvent((index: number) => list.scrollToIndex(index, { align: "start" }))
  useEffect(() => {
    if (top === undefined || page === agreed.current) return
    agreed.current = page
    goTo((page - 1) * pageSize)
  }, [page, top])
  useEffect(() => {
    if (present === before.current || present === page) return undefined
    const timer = setTimeout(() => {
      before.current = present
      agreed.current = present
      void navigate({
        search: (search) => ({ ...search, page: present === 1 ? undefined : present }),
        replace: true,
        resetScroll: false,
      })
    }, rests)
    return () => clearTimeout(timer)
  }, [present, page, navigate])
}

/** Reports the pages that stay in sight. */
const useSight = (range: List["range"], onSight: (pages: ReadonlyArray<number>) => void) => {
  const from = Math.floor((range?.startIndex ?? 0) / pageSize)
  const to = Math.floor((range?.endIndex ?? 0) / pageSize)
  useEffect(() => {
    const timer = setTimeout(() => onSight(from === to ? [from] : [from, to]), settles)
    return () => clearTimeout(timer)
  }, [from, to, onSight])
}

interface RowProps {
  readonly contact: Contact | undefined
  readonly index: number
  readonly offset: number
  readonly isOpen: boolean
  readonly minute: number
  readonly zone: string
  readonly onOpen: (id: string) => void
}

const Row = memo(({ contact, index, isOpen, minute, offset, onOpen, zone }: RowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    aria-current={isOpen ? "true" : undefined}
    aria-busy={contact === undefined}
    className="ContactTable-row"
    style={{ transform: `translateY(${offset}px)` }}
  >
    {contact !== undefined && <Cells contact={contact} now={new Date(minute)} zone={zone} onOpen={onOpen} />}
  </div>
))

interface CellsProps {
  readonly contact: Contact
  readonly now: Date
  readonly zone: string
  readonly onOpen: (id: string) => void
}

const Cells = ({ contact, now, onOpen, zone }: CellsProps) => (
  <>
    <span role="cell" className="ContactTable-position">
      {contact.position}
    </span>
    <span role="cell" className="ContactTable-number">
      {/* A plain link: each router link subscribes to the URL, and rows mount by the dozen. */}
      <a
        href={hrefOf(contact.id)}
        className="Table-link mono"
        onClick={(event) => {
          if (isForBrowser(event)) return
          event.preventDefault()
          onOpen(contact.id)
        }}
      >
        {formatNumber(contact.phone_number)}
      </a>
    </span>
    <span role="cell" className="ContactTable-name">
      {givenName(contact)}
    </span>
    <span role="cell">
      <ContactOutcome contact={contact} />
    </span>
    <span role="cell" className="ContactTable-when">
      {whenWords(contact, now, zone)}
    </span>
  </>
)

/** True for clicks that open the link in another tab or window, which the browser handles. */
const isForBrowser = ({ altKey, button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button !== 0 || metaKey || ctrlKey || shiftKey || altKey

const hrefOf = (id: string): string => {
  const search = new URLSearchParams(location.search)
  search.set("contact", id)
  return `?${search}`
}
