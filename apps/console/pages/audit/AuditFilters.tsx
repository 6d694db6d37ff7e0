/** The filters of the audit log. Each choice is in the URL. */
import { IconX } from "@tabler/icons-react"
import { type AuditKind, auditKinds } from "../../../../src/domain/AuditActions.ts"
import { any, firstPage, useSetFilter } from "../../data/Filters.ts"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { DayRange } from "../calls/DayRange.tsx"
import { momentsOfDays } from "../new-campaign/LocalTime.ts"
import { kindWords } from "./AuditWords.ts"
import "../calls/CallsPage.css"

export interface Search {
  readonly q?: string | undefined
  readonly kind?: AuditKind | undefined
  readonly object?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const isNumber = /^\+[\d\s().-]{6,}$/

/**
 * The filter as the server takes it. A text that looks like a phone number is a called person's, any other is an actor.
 */
export const askedOf = ({ kind, object, q, ...days }: Search, zone: string) => {
  const text = q?.trim() ?? ""
  return {
    ...(kind !== undefined && { kind }),
    ...(object !== undefined && { object_id: object }),
    ...(text !== "" && (isNumber.test(text) ? { phone_number: text } : { actor: text })),
    ...momentsOfDays(days, zone),
  }
}

export const AuditFilters = ({ search }: { readonly search: Search }) => {
  const set = useSetFilter()
  return (
    <div className="Calls-filters">
      <div className="Calls-find">
        <SearchField label="Email, API key or called number" />
        {search.object !== undefined && (
          <LinkButton
            size="row"
            icon={<IconX aria-hidden />}
            to="."
            search={(before) => ({ ...before, ...firstPage, object: undefined })}
          >
            One object only
          </LinkButton>
        )}
      </div>
      <div className="Calls-more">
        <SelectMenu
          label="Kind"
          chosen={search.kind ?? any.id}
          choices={[any, ...auditKinds.map((id) => ({ id, word: kindWords[id] }))]}
          onChoose={set("kind")}
        />
        <DayRange from={search.from} to={search.to} onChange={set} />
      </div>
    </div>
  )
}
