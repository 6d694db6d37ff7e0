/**
 * Runs the code in the editor, saved or not, with a contact's variables as in a call. The form for the arguments
 * follows the schema.
 */
import { IconCheck, IconPlayerPlay, IconX } from "@tabler/icons-react"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { useZone } from "../../data/AccountPulse.ts"
import { problemAt } from "../../data/Checks.ts"
import { fieldProblems, problemOf } from "../../data/Problem.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { JsonText } from "../../ui/JsonText.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { counted } from "../../words/Figures.ts"
import { clock } from "../../words/Times.ts"
import { ChooseTrialContact } from "../agents/ChooseTrialContact.tsx"
import { useTrialContacts } from "../agents/TrialContacts.ts"
import { ArgumentField, valueOf } from "./ArgumentField.tsx"
import { argumentsOf, type Json, type ToolParts } from "./Tool.ts"
import { addTry, type ToolTry, useToolTries } from "./ToolTries.ts"

const tried = ["schema", "implementation_code", "implementation_config"] as const

export const TryTool = ({ draft, mayChange, tool }: ToolParts) => {
  const client = useRpcClient()
  const contacts = useTrialContacts()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const tries = useToolTries(tool.id)
  const all = argumentsOf(draft.value.schema)
  const run = useMutation({
    mutationFn: () => {
      const unsaved = Object.fromEntries(
        tried.filter((field) => field in draft.changes).map((field) => [field, draft.changes[field]]),
      )
      const { phone_number, ...variables } = contacts.variables
      const args = Object.fromEntries(
        all.flatMap((argument) => {
          const value = valueOf(argument, typed[argument.name] ?? "")
          return value === undefined ? [] : [[argument.name, value]]
        }),
      )
      return client.tools.invoke.mutate({
        id: tool.id,
        arguments: args as Json,
        context: { variables, ...(phone_number !== undefined && { phone_number }) },
        ...(Object.keys(unsaved).length > 0 && { tool: unsaved }),
      })
    },
    onSuccess: (answer) => addTry(tool.id, answer, draft.value.implementation_code),
  })
  const start = () => run.mutate()
  useShortcut("⌘↵", "Run the tool", start, mayChange && !run.isPending)
  const problem = run.isError ? problemOf(run.error) : undefined
  const refused = problem === undefined ? {} : fieldProblems(problem)
  const ofArguments = all.filter(({ name }) => refused[`arguments/${name}`] !== undefined)
  const [last, ...earlier] = tries
  if (!mayChange) return null
  return (
    <Panel
      title={
        <>
          Try it
          <span className="second-line">
            {draft.isDirty ? "runs the unsaved code in the editor" : "runs the code in the editor"}
          </span>
        </>
      }
      aside={
        <Button icon={<IconPlayerPlay aria-hidden />} shortcut="⌘↵" isDisabled={run.isPending} onPress={start}>
          Run
        </Button>
      }
    >
      <div className="TryTool">
        <div className="TryTool-form">
          {all.map((argument) => (
            <ArgumentField
              key={argument.name}
              argument={argument}
              value={typed[argument.name] ?? ""}
              onChange={(value) => setTyped({ ...typed, [argument.name]: value })}
              problem={problemAt(refused, `arguments/${argument.name}`)}
            />
          ))}
          <ChooseTrialContact label="context" form="field" contacts={contacts} />
        </div>
        <div className="TryTool-answer" role="status" aria-label="Result">
          {run.isPending && <p className="second-line">Running…</p>}
          {ofArguments.map(({ name }) => (
            <p key={name} className="TryTool-word Agent-bad">
              <IconX aria-hidden />
              {name} {refused[`arguments/${name}`]}
            </p>
          ))}
          {problem !== undefined && ofArguments.length === 0 && <ProblemLine problem={problem} />}
          {last === undefined && !run.isPending && problem === undefined && (
            <p className="second-line">Not run yet. The result, the log and the duration appear here.</p>
          )}
          {last !== undefined && problem === undefined && <Answer last={last} />}
          {earlier.length > 0 && (
            <div>
              <h3 className="Catalog-label">Earlier runs</h3>
              <ul>
                {earlier.map((one) => (
                  <EarlierTry key={one.at} one={one} />
                ))}
              </ul>
            </div>
          )}
        </div>
      </div>
    </Panel>
  )
}

const failure = ({ error, line }: ToolTry): string => {
  if (error === undefined) return ""
  if (error.code === "sandbox_unavailable") {
    return `${error.message} The code is saved, not run.`
  }
  return line === undefined ? error.message : `${error.message}, line ${line}`
}

const Answer = ({ last }: { readonly last: ToolTry }) => (
  <>
    {last.error === undefined ? (
      <p className="TryTool-word Agent-good">
        <IconCheck aria-hidden />
        Answered in {last.duration_ms} ms
      </p>
    ) : (
      <p className="TryTool-word Agent-bad">
        <IconX aria-hidden />
        <span>{failure(last)}</span>
        <span className="second-line">
          {last.error.code}, after {last.duration_ms} ms
        </span>
      </p>
    )}
    {last.error === undefined && (
      <pre className="TryTool-result">
        <JsonText value={last.result ?? null} isLong />
      </pre>
    )}
    {last.logs.length > 0 && (
      <div>
        <h3 className="Catalog-label">Log, {counted(last.logs.length, "line")}</h3>
        <pre className="TryTool-log">{last.logs.join("\n")}</pre>
      </div>
    )}
  </>
)

const EarlierTry = ({ one }: { readonly one: ToolTry }) => {
  const zone = useZone()
  return (
    <li className={`TryTool-earlier ${one.error === undefined ? "" : "Agent-bad"}`}>
      {one.error === undefined ? <IconCheck aria-hidden /> : <IconX aria-hidden />}
      <span className="TryTool-short">{one.error === undefined ? JSON.stringify(one.result) : failure(one)}</span>
      <span className="second-line">
        {clock(new Date(one.at), zone)}, {one.duration_ms} ms
      </span>
    </li>
  )
}
