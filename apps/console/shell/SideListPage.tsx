/**
 * A list of settings at the left and the chosen item at the right. Below 900 px the URL decides which of them is shown.
 */
import { Link, type LinkProps, useSearch } from "@tanstack/react-router"
import { type ComponentType, type ReactNode, useState } from "react"
import { AddButton } from "../ui/AddButton.tsx"
import { Awaiting, type AwaitingProps } from "../ui/Awaiting.tsx"
import { buttonClass } from "../ui/Button.tsx"
import { ClearFilters } from "../ui/ClearFilters.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Pager } from "../ui/Pager.tsx"
import { ReadOnlyNote } from "../ui/ReadOnlyNote.tsx"
import { SearchField } from "../ui/SearchField.tsx"
import { SideBySide, type SideEntry, SideList } from "../ui/SideList.tsx"
import { Page, PageHeading } from "./Page.tsx"
import "./SideListPage.css"

export interface SideListPageProps {
  /** "Phone numbers" */
  readonly title: string
  /** "phone number" */
  readonly one: string
  /** The link to the page with nothing chosen. */
  readonly bare: Pick<LinkProps, "to" | "params">
  readonly list: AwaitingProps["asked"] & {
    readonly data: { readonly page_size: number; readonly total: number } | undefined
  }
  readonly entries: ReadonlyArray<SideEntry>
  /** The id of the chosen entry. */
  readonly chosen: string | undefined
  /** The item that the URL names, in words. Undefined if it names none. */
  readonly opened: string | undefined
  readonly mayAdd: boolean
  /** The dialog that creates an item. */
  readonly dialog: ComponentType<{ readonly onClose: () => void }>
  /** What the items are for, shown if there are none. */
  readonly about: ReactNode
  /** The label of the field that filters by `q`. Absent if the list cannot be searched. */
  readonly search?: string
  /** The fields that `q` searches, shown if nothing matches. */
  readonly searched?: ReactNode
  /** Below the list. */
  readonly note?: ReactNode
  readonly children: ReactNode
}

/** "FAQs" stays, "Playbooks" does not. */
const inSentence = (title: string): string => (/^[A-Z]{2}/.test(title) ? title : title.toLowerCase())

export const SideListPage = (props: SideListPageProps) => {
  const { about, bare, children, chosen, dialog: New, entries, list, mayAdd, note, one, opened, title } = props
  const { page = 1, q } = useSearch({ strict: false })
  const [isNew, setNew] = useState(false)
  const all = inSentence(title)
  const add = mayAdd && <AddButton word={`New ${one}`} shown="Add" onAdd={() => setNew(true)} />
  return (
    <Page
      title={title}
      name={opened ?? title}
      isHeadless
      crumbs={opened === undefined ? [] : [{ ...bare, word: title }]}
    >
      <ReadOnlyNote />
      <SideBySide
        isChosen={opened !== undefined}
        list={
          <>
            <div className="SideListPage-head">
              <PageHeading name={opened ?? title}>{title}</PageHeading>
              {add}
            </div>
            {props.search !== undefined && <SearchField label={props.search} />}
            <Awaiting of={all} asked={list} />
            {entries.length > 0 && <SideList label={title} entries={entries} chosen={chosen} />}
            {list.data !== undefined && entries.length === 0 && (
              <div className="Table-frame">
                {q === undefined ? (
                  <Empty title={`No ${all} yet`} acts={add}>
                    {about}
                  </Empty>
                ) : (
                  <Empty title={`No ${one} has “${q}” in it`} acts={<ClearFilters />}>
                    {props.searched ?? about}
                  </Empty>
                )}
              </div>
            )}
            {list.data !== undefined && (
              <Pager page={page} pageSize={list.data.page_size} total={list.data.total} of={all} />
            )}
            {note !== undefined && <p className="second-line">{note}</p>}
          </>
        }
      >
        {opened !== undefined && (
          <p className="SideListPage-back">
            <Link {...bare} className={buttonClass({ look: "quiet", size: "row" })}>
              All {all}
            </Link>
          </p>
        )}
        {children}
      </SideBySide>
      {isNew && <New onClose={() => setNew(false)} />}
    </Page>
  )
}
