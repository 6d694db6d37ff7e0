/** The do-not-call list: numbers that are never dialled, with the date and origin of each entry. */
import { IconDownload, IconUpload, IconX } from "@tabler/icons-react"
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { NewSuppression } from "../../../../src/rpc/inputs/Suppressions.ts"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { download } from "../../data/Rest.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { AddButton } from "../../ui/AddButton.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { date, moment, utc } from "../../words/Times.ts"
import { ImportNumbers } from "./ImportNumbers.tsx"
import "./NumberList.css"

type Entry = Outputs["suppressions"]["list"]["items"][number]

const pageSize = 50

const columns = [
  { word: "Number" },
  { word: "Calls about", isWide: true },
  { word: "Since" },
  { word: "From", isWide: true },
  { word: "Reason", isWide: true },
  { word: "Until", isWide: true },
]
const acts = { word: "Actions", isUnseen: true }

export const DoNotCallPage = () => {
  const rpc = useRpc()
  const client = useRpcClient()
  const { slug } = useAccount()
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const { page = 1, q } = useSearch({ from: "/$account/do-not-call" })
  const list = useQuery(
    rpc.suppressions.list.queryOptions(
      { page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) },
      { placeholderData: keepPreviousData },
    ),
  )
  const [open, setOpen] = useState<"add" | "import">()
  const [asked, setAsked] = useState<Entry>()
  const save = useMutation({
    mutationFn: () => {
      const found = q === undefined ? "" : `?search=${encodeURIComponent(q)}`
      return download(slug, `/api/v1/suppressions.csv${found}`, "do-not-call.csv")
    },
  })
  const again = () => queries.invalidateQueries({ queryKey: rpc.suppressions.pathKey() })
  const add = mayChange && <AddButton word="Add a number" onAdd={() => setOpen("add")} />
  return (
    <Page
      title="Do-not-call"
      name="Do-not-call"
      {...(list.data !== undefined && {
        second: `${counted(list.data.total, "number")} ${q === undefined ? "that nothing dials" : `with “${q}” in it`}.`,
      })}
      acts={
        <>
          <Button icon={<IconDownload aria-hidden />} isDisabled={save.isPending} onPress={() => save.mutate()}>
            Export
          </Button>
          {mayChange && (
            <Button icon={<IconUpload aria-hidden />} onPress={() => setOpen("import")}>
              Import
            </Button>
          )}
          {add}
        </>
      }
    >
      <ReadOnlyNote />
      {save.isError && <ProblemLine problem={problemOf(save.error)} />}
      <div className="NumberList-find">
        <SearchField label="Find a number or a reason" />
      </div>
      <TableList
        of="numbers"
        list={list}
        page={page}
        empty={
          q === undefined ? (
            <Empty title="The list is empty" acts={add}>
              No campaign and no direct call dials a number on this list. A person who asks an agent not to be called
              again is added at once.
            </Empty>
          ) : (
            <Empty title={`No number has “${q}” in it`} acts={<ClearFilters />}>
              Search by number, however it is written, or by reason.
            </Empty>
          )
        }
        columns={mayChange ? [...columns, acts] : columns}
      >
        {list.data?.items.map((entry) => (
          <Row
            key={`${entry.phone_number} ${entry.subject ?? ""}`}
            entry={entry}
            onRemove={mayChange ? () => setAsked(entry) : undefined}
          />
        ))}
      </TableList>
      {open === "add" && <AddNumber onClose={() => setOpen(undefined)} onAdded={again} />}
      {open === "import" && <ImportNumbers onClose={() => setOpen(undefined)} onDone={again} />}
      {asked !== undefined && (
        <Confirm
          question={`Remove ${formatNumber(asked.phone_number)}${about(asked.subject)} from the list?`}
          lines={[
            {
              icon: <IconX aria-hidden />,
              text:
                asked.source === "call"
                  ? "This person asked in a call not to be called again. Unless another entry forbids it, campaigns may dial them from now on."
                  : "Unless another entry forbids it, campaigns may dial it from now on.",
            },
          ]}
          verb="Remove"
          leave="Keep it"
          isOpen
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await client.suppressions.remove.mutate({ phone_number: asked.phone_number, subject: asked.subject })
            await again()
            notice({ text: `${formatNumber(asked.phone_number)} may be called again${about(asked.subject)}.` })
          }}
        />
      )}
    </Page>
  )
}

const about = (subject: string | null): string => (subject === null ? "" : ` about ${subject}`)

const sources = { api: "by hand or the API", import: "an import", call: "a call" } as const

const Row = ({ entry, onRemove }: { readonly entry: Entry; readonly onRemove: (() => void) | undefined }) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const { call_id, created_at, expires_at, phone_number, reason, source, subject } = entry
  const shown = formatNumber(phone_number)
  return (
    <tr className="Table-row">
      <td className="mono NumberList-number" title={phone_number}>
        {shown}
      </td>
      <td className="Table-wide">{subject ?? <span className="quiet">anything</span>}</td>
      <td className="second-line">
        <time dateTime={created_at} title={utc(new Date(created_at))}>
          {moment(new Date(created_at), now, zone)}
        </time>
      </td>
      <td className="Table-wide">
        {call_id === null ? (
          sources[source]
        ) : (
          <Link to="/$account/calls/$id" params={{ account: slug, id: call_id }} className="Table-act">
            {sources[source]}
          </Link>
        )}
      </td>
      <td className="quiet Table-wide">{reason}</td>
      <td className="second-line Table-wide">{expires_at === null ? "permanent" : date(new Date(expires_at), zone)}</td>
      {onRemove !== undefined && (
        <td className="Table-figure">
          <Button look="stop" size="row" onPress={onRemove} aria-label={`Remove ${shown}${about(subject)}…`}>
            Remove…
          </Button>
        </td>
      )}
    </tr>
  )
}

interface AddNumberProps {
  readonly onClose: () => void
  readonly onAdded: () => Promise<unknown>
}

const AddNumber = ({ onAdded, onClose }: AddNumberProps) => {
  const client = useRpcClient()
  const draft = useFields({ phone_number: "", reason: "", subject: "" })
  const reason = draft.value.reason.trim()
  const topic = draft.value.subject.trim()
  const value = {
    phone_number: draft.value.phone_number.replaceAll(/[\s().-]/g, ""),
    reason: reason === "" ? null : reason,
    subject: topic === "" ? null : topic,
  }
  return (
    <FormDialog
      title="Never call a number"
      verb="Never call it"
      schema={NewSuppression}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { phone_number, subject } = await client.suppressions.add.mutate(NewSuppression.parse(value))
        await onAdded()
        onClose()
        notice({
          text: `${formatNumber(phone_number)} is on the do-not-call list${subject === null ? "" : ` for calls about ${subject}`}.`,
          act: {
            word: "Undo",
            onAct: () => void client.suppressions.remove.mutate({ phone_number, subject }).then(onAdded),
          },
        })
      }}
    >
      {(form) => (
        <>
          <DraftField
            form={form}
            name="phone_number"
            label="Number"
            autoFocus
            isMono
            placeholder="+1 617 555 0142"
            hint="With + and the country code. Calls in progress continue."
          />
          <DraftField form={form} name="reason" label="Reason" hint="Optional." />
          <DraftField
            form={form}
            name="subject"
            label="Only calls about"
            hint="Optional: the subject of campaigns, in their settings. Empty: no campaign and no direct call dials it."
          />
        </>
      )}
    </FormDialog>
  )
}
