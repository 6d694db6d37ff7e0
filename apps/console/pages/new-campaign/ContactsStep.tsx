/** The step of the contact list: dropped, parsed at once, uploaded, and checked by row and by column. */
import { IconFile } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { Button as AriaButton, DropZone, FileTrigger, isFileDropItem } from "react-aria-components"
import sample from "../../../../examples/contacts.csv?url"
import { useAccount } from "../../data/Account.tsx"
import { useAccountPulse } from "../../data/AccountPulse.ts"
import { type ProblemBody, problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, size } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { ColumnsAndPrompt } from "./ColumnsAndPrompt.tsx"
import type { ContactFile } from "./ContactFile.ts"
import { usualHours } from "./Days.tsx"
import { DefaultCountry, rememberCountry, rememberedCountry } from "./DefaultCountry.tsx"
import { FirstWords } from "./FirstWords.tsx"
import { ImportReport } from "./ImportReport.tsx"
import { keepList } from "./KeptList.ts"
import { MissingColumn } from "./MissingColumn.tsx"
import { NumberColumns, rememberedNumbers, rememberNumbers } from "./NumberColumns.tsx"
import { PriorityColumn, rememberedPriority, rememberPriority } from "./PriorityColumn.tsx"
import { RefusedList } from "./RefusedList.tsx"
import { SourceContacts } from "./SourceContacts.tsx"
import { type NewDraft, settingsOf, upload } from "./Upload.ts"
import { VariableProblems } from "./VariableProblems.tsx"
import "./ContactsStep.css"

export interface ContactsStepProps {
  readonly known: Partial<NewDraft>
  readonly campaign: OpenCampaign | undefined
  readonly file: ContactFile | undefined
  readonly isSample: boolean
  /** The old campaign whose contacts may be called again. */
  readonly source: OpenCampaign | undefined
  readonly onFile: (file: ContactFile) => void
  readonly onDraft: (id: string) => void
  readonly onBack: () => void
  readonly onNext: () => void
}

/** What is chosen about the list besides its file. */
interface ListChoices {
  readonly country?: string
  readonly priority?: string
  readonly numbers?: ReadonlyArray<string>
}

/** Loads the CSV parser with the first file. */
const reader = () => import("./ContactFile.ts")

const delimiterWords: Record<string, string> = { ",": "comma", ";": "semicolon", "\t": "tab" }

export const ContactsStep = (props: ContactsStepProps) => {
  const { campaign, file, isSample, known, onBack, onDraft, onFile, onNext, source } = props
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const [problem, setProblem] = useState<ProblemBody>()
  const [progress, setProgress] = useState<number>()
  const [isMissing, setMissing] = useState(false)
  const [typedCountry, setCountry] = useState<string>()
  const chosenCountry = typedCountry ?? (campaign === undefined ? "" : rememberedCountry(campaign.id))
  const [typedPriority, setPriority] = useState<string>()
  const chosenPriority = typedPriority ?? (campaign === undefined ? "" : rememberedPriority(campaign.id))
  const [typedNumbers, setNumbers] = useState<ReadonlyArray<string>>()
  const chosenNumbers = typedNumbers ?? (campaign === undefined ? [] : rememberedNumbers(campaign.id))
  const accountHours = useAccountPulse()?.account.calling_window ?? null

  /** Creates the draft from the list. A previous draft passes its settings on and is deleted. */
  const send = async (
    list: ContactFile,
    { country = chosenCountry, numbers = chosenNumbers, priority = chosenPriority }: ListChoices = {},
  ) => {
    onFile(list)
    setProblem(undefined)
    setMissing(!list.columns.includes("phone_number"))
    if (!list.columns.includes("phone_number")) return
    const { agent_id, name, phone_number_id } = known
    if (agent_id === undefined || phone_number_id === undefined) return
    setProgress(0)
    const before =
      campaign === undefined ? { calling_window: accountHours === null ? usualHours : null } : settingsOf(campaign)
    const present = numbers.filter((name) => list.columns.includes(name))
    const draft = {
      ...before,
      ...(country !== "" && { default_country: country }),
      ...(list.columns.includes(priority) && { priority_column: priority }),
      ...(present.length > 0 && { additional_number_columns: present }),
      agent_id,
      phone_number_id,
      name: name ?? list.name.replace(/\.csv$/i, ""),
    }
    try {
      const made = await upload(slug, draft, new Blob([list.text], { type: "text/csv" }), list.name, setProgress)
      if (campaign !== undefined) await client.campaigns.remove.mutate({ id: campaign.id }).catch(() => undefined)
      await keepList(made.id, list)
      rememberCountry(made.id, country)
      rememberPriority(made.id, priority)
      rememberNumbers(made.id, numbers)
      onDraft(made.id)
      await queries.invalidateQueries({ queryKey: rpc.campaigns.pathKey() })
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setProgress(undefined)
    }
  }
  const take = async (picked: File) => {
    const { mostBytes, read } = await reader()
    if (picked.size > mostBytes) {
      setProblem(refusal(`${picked.name} has ${size(picked.size)}. A list has 10 MB at most.`))
      return
    }
    try {
      await send(await read(picked))
    } catch {
      setProblem(refusal(`${picked.name} could not be read. Save it as CSV in UTF-8.`))
    }
  }

  const hasTakenSample = useRef(false)
  useEffect(() => {
    if (!isSample || campaign !== undefined || known.agent_id === undefined || hasTakenSample.current) return
    hasTakenSample.current = true
    void fetch(sample)
      .then((response) => response.blob())
      .then((blob) => take(new File([blob], "sample-contacts.csv", { type: "text/csv" })))
  })
  const next = () => campaign !== undefined && onNext()
  useShortcut("⌘↵", "Next step", next)

  return (
    <>
      <DropZone
        className="ContactsStep-drop"
        onDrop={async ({ items }) => {
          const dropped = items.find(isFileDropItem)
          if (dropped !== undefined) await take(await dropped.getFile())
        }}
      >
        <IconFile aria-hidden />
        <div className="ContactsStep-file">
          {file !== undefined ? (
            <>
              <span className="name">{file.name}</span>
              <span className="Table-second">
                {size(file.size)} · UTF-8, {delimiterWords[file.delimiter]} · {count(file.rows.length)} rows · read in{" "}
                {file.seconds.toFixed(1)} s
              </span>
            </>
          ) : campaign !== undefined ? (
            <>
              <span className="name">{count(campaign.import.rows)} rows are here</span>
              <span className="Table-second">
                This browser did not keep the file. Choose it again to leave rows out of it.
              </span>
            </>
          ) : (
            <>
              <span className="name">Drop a CSV here</span>
              <span className="Table-second">with a column phone_number; every other column can fill the prompt</span>
            </>
          )}
          {progress !== undefined && (
            <progress className="ContactsStep-progress" value={progress} max={1} aria-label="Sent" />
          )}
        </div>
        <FileTrigger
          acceptedFileTypes={[".csv", "text/csv"]}
          onSelect={(files) => {
            const [picked] = files ?? []
            if (picked !== undefined) void take(picked)
          }}
        >
          <AriaButton className="Button Button-second Button-row" isDisabled={progress !== undefined}>
            {campaign === undefined && file === undefined ? "Choose a file" : "Replace file"}
          </AriaButton>
        </FileTrigger>
      </DropZone>
      <DefaultCountry
        chosen={chosenCountry}
        onChoose={(country) => {
          setCountry(country)
          if (file !== undefined) void send(file, { country })
        }}
      />
      {file !== undefined && (
        <PriorityColumn
          file={file}
          chosen={chosenPriority}
          onChoose={(column) => {
            setPriority(column)
            void send(file, { priority: column })
          }}
        />
      )}
      {file !== undefined && (
        <NumberColumns
          file={file}
          chosen={chosenNumbers}
          onChoose={(columns) => {
            setNumbers(columns)
            void send(file, { numbers: columns })
          }}
        />
      )}
      {campaign === undefined && source !== undefined && (
        <SourceContacts source={source} known={known} onDraft={onDraft} />
      )}
      {problem !== undefined && <ProblemLine problem={problem} />}
      {problem?.errors !== undefined && <RefusedList errors={problem.errors} file={file} />}
      {isMissing && file !== undefined && (
        <MissingColumn
          file={file}
          onUse={async (column) => {
            const { rewritten } = await reader()
            const columns = file.columns.map((name) => (name === column ? "phone_number" : name))
            await send(rewritten(file, columns, file.rows))
          }}
        />
      )}
      {campaign !== undefined && (
        <>
          <ImportReport campaign={campaign} file={file} />
          <ColumnsAndPrompt campaign={campaign} />
          <VariableProblems
            campaign={campaign}
            file={file}
            onLeaveOut={async (column) => {
              if (file === undefined) return
              const { rewritten } = await reader()
              const at = file.columns.indexOf(column)
              await send(
                rewritten(
                  file,
                  file.columns,
                  file.rows.filter((row) => (row[at] ?? "").trim() !== ""),
                ),
              )
            }}
          />
          <FirstWords campaign={campaign} />
        </>
      )}
      <div className="NewCampaign-acts">
        <Button onPress={onBack}>Back</Button>
        <Button
          look="primary"
          shortcut="⌘↵"
          isDisabled={campaign === undefined || progress !== undefined}
          onPress={next}
        >
          Next: pace and hours
        </Button>
      </div>
    </>
  )
}

/** A refusal by the browser before the upload. */
const refusal = (detail: string): ProblemBody => ({ status: 0, code: "not_sent", title: "Not sent", detail })
