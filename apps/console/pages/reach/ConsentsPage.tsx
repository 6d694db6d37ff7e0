/** The ledger of consents: who agreed to calls, when and on what ground, and who withdrew. Entries are only added. */
import { IconDownload, IconX } from "@tabler/icons-react"
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { consentBases } from "../../../../src/domain/ConsentValues.ts"
import { NewConsent } from "../../../../src/rpc/inputs/Consents.ts"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useFields } from "../../data/Fields.ts"
import { problemOf } from "../../data/Problem.ts"
import { download } from "../../data/Rest.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { AddButton } from "../../ui/AddButton.tsx"
import { Button } from "../../ui/Button.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { basisWords, type ConsentBasis } from "../../words/Consents.ts"
import { counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { date, moment, utc } from "../../words/Times.ts"
import { localInput, momentIn } from "../new-campaign/LocalTime.ts"
import "./NumberList.css"

type Entry = Outputs["consents"]["list"]["items"][number]

const pageSize = 50

const columns = [
  { word: "Number" },
  { word: "Entry" },
  { word: "When" },
  { word: "Subject", isWide: true },
  { word: "Source", isWide: true },
  { word: "Last used", isWide: true },
]
const acts = { word: "Actions", isUnseen: true }

export const ConsentsPage = () => {
  const rpc = useRpc()
  const client = useRpcClient()
  const { slug } = useAccount()
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const { page = 1, q } = useSearch({ from: "/$account/consents" })
  const found = q === undefined ? {} : { search: q }
  const list = useQuery(
    rpc.consents.list.queryOptions(
      { page: page - 1, page_size: pageSize, ...found },
      { placeholderData: keepPreviousData },
    ),
  )
  const [isAdding, setAdding] = useState(false)
  const [withdrawn, setWithdrawn] = useState<string>()
  const save = useMutation({
    mutationFn: () => {
      const query = new URLSearchParams(found).toString()
      return download(slug, `/api/v1/consents.csv${query === "" ? "" : `?${query}`}`, "consents.csv")
    },
  })
  const again = () => queries.invalidateQueries({ queryKey: rpc.consents.pathKey() })
  const add = mayChange && <AddButton word="Record a consent" onAdd={() => setAdding(true)} />
  return (
    <Page
      title="Consents"
      name="Consents"
      {...(list.data !== undefined && {
        second: `${counted(list.data.total, "entry", "entries")}${q === undefined ? "" : ` with “${q}”`}. Entries are never changed.`,
      })}
      acts={
        <>
          <Button icon={<IconDownload aria-hidden />} isDisabled={save.isPending} onPress={() => save.mutate()}>
            Export
          </Button>
          {add}
        </>
      }
    >
      <ReadOnlyNote />
      {save.isError && <ProblemLine problem={problemOf(save.error)} />}
      <div className="NumberList-find">
        <SearchField label="Find a number, a subject or a source" />
      </div>
      <TableList
        of="entries"
        list={list}
        page={page}
        empty={
          q === undefined ? (
            <Empty title="No consent is recorded" acts={add}>
              Record consents here, over the API, or with the columns of a contact list. A campaign can require them.
            </Empty>
          ) : (
            <Empty title={`No entry has “${q}” in it`} acts={<ClearFilters />}>
              Search by number, subject, seller or source.
            </Empty>
          )
        }
        columns={mayChange ? [...columns, acts] : columns}
      >
        {list.data?.items.map((entry) => (
          <Row key={entry.id} entry={entry} onWithdraw={mayChange ? setWithdrawn : undefined} />
        ))}
      </TableList>
      {isAdding && <RecordConsent onClose={() => setAdding(false)} onAdded={again} />}
      {withdrawn !== undefined && (
        <Confirm
          question={`Withdraw all consents of ${formatNumber(withdrawn)}?`}
          lines={[
            { icon: <IconX aria-hidden />, text: "No campaign that requires a consent calls the number from now on." },
            { icon: <IconX aria-hidden />, text: "Other campaigns still may. The do-not-call list stops every call." },
          ]}
          verb="Withdraw"
          leave="Keep them"
          isOpen
          onClose={() => setWithdrawn(undefined)}
          onConfirm={async () => {
            await client.consents.revoke.mutate({ revocations: [{ phone_number: withdrawn, source: "console" }] })
            await again()
            notice({ text: `The consents of ${formatNumber(withdrawn)} are withdrawn.` })
          }}
        />
      )}
    </Page>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly onWithdraw: ((number: string) => void) | undefined
}

const Row = ({ entry, onWithdraw }: RowProps) => {
  const zone = useZone()
  const now = useNow()
  const { at, basis, expires_at, kind, phone_number, source, subject, text, used_at } = entry
  const shown = phone_number === null ? "erased" : formatNumber(phone_number)
  return (
    <tr className="Table-row">
      <td className="mono NumberList-number">{shown}</td>
      <td title={text ?? undefined}>
        {basis === null ? "Withdrew" : basisWords[basis]}
        {expires_at !== null && <span className="second-line"> until {date(new Date(expires_at), zone)}</span>}
      </td>
      <td className="second-line">
        <time dateTime={at} title={utc(new Date(at))}>
          {moment(new Date(at), now, zone)}
        </time>
      </td>
      <td className="quiet Table-wide">{subject ?? "any"}</td>
      <td className="quiet Table-wide">{source}</td>
      <td className="second-line Table-wide">{used_at === null ? "" : moment(new Date(used_at), now, zone)}</td>
      {onWithdraw !== undefined && (
        <td className="Table-figure">
          {kind === "consent" && phone_number !== null && (
            <Button
              look="stop"
              size="row"
              onPress={() => onWithdraw(phone_number)}
              aria-label={`Withdraw the consents of ${shown}…`}
            >
              Withdraw…
            </Button>
          )}
        </td>
      )}
    </tr>
  )
}

const bases = consentBases.map((id) => ({ id, word: basisWords[id] }))

interface RecordConsentProps {
  readonly onClose: () => void
  readonly onAdded: () => Promise<unknown>
}

const RecordConsent = ({ onAdded, onClose }: RecordConsentProps) => {
  const client = useRpcClient()
  const zone = useZone()
  const now = useNow()
  const draft = useFields(() => ({
    phone_number: "",
    basis: "express_written" as ConsentBasis,
    time: localInput(now, zone),
    text: "",
    source: "",
    subject: "",
  }))
  const { basis, phone_number, source, subject, text, time } = draft.value
  const written = (field: string) => (field.trim() === "" ? null : field.trim())
  const consent = {
    phone_number: phone_number.replaceAll(/[\s().-]/g, ""),
    basis,
    at: momentIn(time, zone)?.toISOString() ?? "",
    text: written(text),
    source: written(source),
    subject: written(subject),
  }
  return (
    <FormDialog
      title="Record a consent"
      verb="Record it"
      schema={NewConsent}
      draft={draft}
      value={consent}
      onClose={onClose}
      onSubmit={async () => {
        await client.consents.record.mutate({ consents: [consent] })
        await onAdded()
        onClose()
        notice({ text: `The consent of ${formatNumber(consent.phone_number)} is recorded.` })
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
            hint="With + and the country code."
          />
          <SelectMenu
            form="field"
            label="Ground"
            chosen={basis}
            choices={bases}
            onChoose={(id) => draft.set("basis", id as ConsentBasis)}
          />
          <Field
            label="When they agreed"
            type="datetime-local"
            value={time}
            onChange={(typed) => draft.set("time", typed)}
            problem={form.problems["at"]}
          />
          <DraftField form={form} name="text" label="Words that they were shown or told" rows={3} hint="Optional." />
          <DraftField form={form} name="source" label="Source" hint="Optional. Such as the address of a web form." />
          <DraftField form={form} name="subject" label="Subject of the calls" hint="Empty: every subject." />
        </>
      )}
    </FormDialog>
  )
}
