/** Adds the rows of a CSV file to a campaign that has not ended, and says what became of each. */
import { IconUserPlus } from "@tabler/icons-react"
import { useState } from "react"
import { useMayChange } from "../../data/Account.tsx"
import { useAct } from "../../data/Act.ts"
import { type Campaign, useRefreshCampaigns } from "../../data/Campaigns.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { saveAs } from "../../data/Rest.ts"
import { Button } from "../../ui/Button.tsx"
import { CancelButton, Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, counted, size } from "../../words/Figures.ts"
import type { ContactFile } from "../new-campaign/ContactFile.ts"
import { NumberColumns } from "../new-campaign/NumberColumns.tsx"
import { PriorityColumn, rememberedPriority } from "../new-campaign/PriorityColumn.tsx"
import { planAdditions, reportOf, type Results } from "./Additions.ts"

export const AddContacts = ({ campaign }: { readonly campaign: Campaign }) => {
  const mayChange = useMayChange()
  const [isOpen, setOpen] = useState(false)
  if (!mayChange || campaign.ended_at !== null) return null
  return (
    <>
      <Button size="row" icon={<IconUserPlus aria-hidden />} onPress={() => setOpen(true)}>
        Add contacts…
      </Button>
      {isOpen && <Adding campaign={campaign} onClose={() => setOpen(false)} />}
    </>
  )
}

const Adding = ({ campaign, onClose }: { readonly campaign: Campaign; readonly onClose: () => void }) => {
  const client = useRpcClient()
  const refresh = useRefreshCampaigns()
  const { clear, isBusy, problem, run } = useAct()
  const [file, setFile] = useState<ContactFile>()
  const [numbers, setNumbers] = useState<ReadonlyArray<string>>([])
  const [added, setAdded] = useState<Results>([])
  const [priority, setPriority] = useState(() => rememberedPriority(campaign.id))
  const [isDone, setDone] = useState(false)
  const pick = async (picked: File | undefined) => {
    if (picked === undefined) return
    clear()
    setAdded([])
    setNumbers([])
    const { read } = await import("../new-campaign/ContactFile.ts")
    await run(async () => setFile(await read(picked)))
  }
  const add = (list: ContactFile) =>
    run(async () => {
      const { refused, requests } = planAdditions(list, { numbers, priority })
      const results = [...refused]
      setAdded([...results])
      try {
        for (const rows of requests) {
          const contacts = rows.map(({ contact }) => ({ ...contact }))
          const { items } = await client.campaigns.contacts.add.mutate({ campaign_id: campaign.id, contacts })
          for (const [index, { at }] of rows.entries()) results[at] = items[index]
          setAdded([...results])
        }
        setDone(true)
      } finally {
        await refresh()
      }
    })
  const done = added.filter((row) => row !== undefined).length
  const hasNumbers = file?.columns.includes("phone_number") ?? false
  return (
    <Dialog title={`Add contacts to ${campaign.name}`} isOpen onClose={onClose} isDismissable={!isBusy} size="wide">
      <div className="Form">
        <label className="Field">
          <span className="Field-label">CSV file</span>
          <input
            type="file"
            accept=".csv,text/csv"
            disabled={isBusy || isDone}
            onChange={({ target }) => void pick(target.files?.[0])}
          />
        </label>
        <p className="second-line">
          With a column phone_number. With a column external_id, a row that the campaign has is corrected instead of
          added, and the same file can be sent again.
          {campaign.status === "running" && " The campaign is running: new contacts are called at once."}
        </p>
        {file !== undefined && !hasNumbers && <p className="Field-problem">This file has no column phone_number.</p>}
        {file !== undefined && hasNumbers && done === 0 && !isDone && (
          <p>
            <strong>{file.name}</strong>{" "}
            <span className="quiet">
              {size(file.size)}, {counted(file.rows.length, "row")}
            </span>
          </p>
        )}
        {file !== undefined && hasNumbers && !isBusy && done === 0 && !isDone && (
          <NumberColumns file={file} chosen={numbers} onChoose={setNumbers} />
        )}
        {file !== undefined && hasNumbers && !isBusy && !isDone && (
          <PriorityColumn file={file} chosen={priority} onChoose={setPriority} />
        )}
        {file !== undefined && isBusy && hasNumbers && (
          <progress value={done} max={file.rows.length} aria-label="Sent" />
        )}
        {(done > 0 || isDone) && <Summary added={added} />}
        {problem !== undefined && <ProblemLine problem={problem} />}
        <DialogActs
          after={
            file !== undefined &&
            (isDone || problem !== undefined) && (
              <Button
                look="quiet"
                onPress={() => saveAs(new Blob([reportOf(file, added)], { type: "text/csv" }), "added.csv")}
              >
                Download the report on each row
              </Button>
            )
          }
        >
          {isDone ? (
            <Button look="primary" onPress={onClose}>
              Done
            </Button>
          ) : (
            <>
              <Button
                look="primary"
                isDisabled={file === undefined || !hasNumbers || isBusy}
                onPress={() => file !== undefined && void add(file)}
              >
                {file === undefined || !hasNumbers ? "Add contacts" : `Add ${counted(file.rows.length, "row")}`}
              </Button>
              <CancelButton onPress={onClose} />
            </>
          )}
        </DialogActs>
      </div>
    </Dialog>
  )
}

const words: ReadonlyArray<readonly [result: string, word: string]> = [
  ["updated", "changed"],
  ["unchanged", "as before"],
  ["duplicate", "in the campaign already"],
  ["refused", "refused"],
]

const Summary = ({ added }: { readonly added: Results }) => {
  const of = (result: string) => added.filter((row) => row?.result === result).length
  return (
    <p role="status">
      <strong>{counted(of("created"), "contact")} added</strong>
      {words.map(([result, word]) => of(result) > 0 && `, ${count(of(result))} ${word}`)}.
    </p>
  )
}
