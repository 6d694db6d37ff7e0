/** Edits the system prompt: highlights variables and tools, marks unsaved lines, and can show it filled in for a contact. */
import { IconAlertTriangle } from "@tabler/icons-react"
import type { EditorView } from "@codemirror/view"
import { useEffect, useRef, useState } from "react"
import { templateFault } from "../../../../src/domain/TemplateFault.ts"
import { capitalize, problemAt } from "../../data/Checks.ts"
import { Editor } from "../../editor/Editor.tsx"
import { bareIn, variablesIn } from "../../editor/Variables.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { counted, joinNames } from "../../words/Figures.ts"
import { type PromptProps, usePromptContext } from "./PromptContext.ts"
import type { TrialContacts } from "./TrialContacts.ts"

export const SystemPrompt = (props: PromptProps) => {
  const { contacts, draft, mayChange, problems } = props
  const [isFilled, setFilled] = useState(false)
  const view = useRef<EditorView>(null)
  const text = draft.value.system_prompt
  const context = usePromptContext(props, "system_prompt")
  const words = text.split(/\s+/).filter((word) => word !== "").length
  const variables = new Set(variablesIn(text).map(({ name }) => name)).size
  const bare = bareIn(text)
  const addDefault = () => {
    const [first] = bare
    const found = variablesIn(text).find(({ kind, name }) => kind === "bare" && name === first)
    const editor = view.current
    if (found === undefined || editor === null) return
    const insert = ' | default: ""'
    const at = found.from + text.slice(found.from, found.to).lastIndexOf("}}")
    const before = text.slice(0, at).trimEnd().length
    editor.dispatch({ changes: { from: before, to: at, insert }, selection: { anchor: before + insert.length - 1 } })
    editor.focus()
  }
  const problem = problemAt(problems, "system_prompt")
  return (
    <Panel
      title="System prompt"
      aside={
        <span className="Kit-row">
          {counted(words, "word")} · {counted(variables, "variable")}
          <Button look="quiet" size="row" aria-pressed={isFilled} onPress={() => setFilled(!isFilled)}>
            {isFilled ? "Show as written" : "Show filled"}
          </Button>
        </span>
      }
    >
      {mayChange && context.tools.map((name) => <InsertKey key={name} name={name} view={view} />)}
      {isFilled ? (
        <Filled template={text} contacts={contacts} />
      ) : (
        <Editor
          label="System prompt"
          language="prompt"
          value={text}
          onChange={(value) => draft.set("system_prompt", value)}
          isReadOnly={!mayChange}
          context={context}
          onReady={(editor) => {
            view.current = editor
          }}
        />
      )}
      <div className="PromptTab-foot">
        {problem !== undefined && <p className="Field-problem">{problem}</p>}
        {bare.length > 0 && !isFilled && (
          <p className="PromptTab-warning">
            <IconAlertTriangle aria-hidden />
            <span>
              <b>{joinNames(bare)}</b> {bare.length === 1 ? "has no default." : "have no default."} If a list leaves{" "}
              {bare.length === 1 ? "it" : "one of them"} empty, you are warned before the campaign starts.
            </span>
            {mayChange && (
              <Button size="row" onPress={addDefault}>
                Add one
              </Button>
            )}
          </p>
        )}
      </div>
    </Panel>
  )
}

/** A shortcut that the command box lists under the tool's name. */
const InsertKey = ({
  name,
  view,
}: {
  readonly name: string
  readonly view: { readonly current: EditorView | null }
}) => {
  useShortcut(`⌘K ${name}`, `Insert ${name}`, () => {
    const editor = view.current
    if (editor === null) return
    editor.dispatch(editor.state.replaceSelection(name))
    editor.focus()
  })
  return null
}

const Filled = ({ contacts, template }: { readonly template: string; readonly contacts: TrialContacts }) => {
  const [text, setText] = useState("")
  useEffect(() => {
    let isCurrent = true
    const fill = async () => {
      const { Liquid, LiquidError } = await import("liquidjs")
      const variables = {
        campaign: { name: contacts.campaign?.name ?? "" },
        now: new Date().toISOString(),
        ...contacts.variables,
      }
      try {
        return String(await new Liquid({ ownPropertyOnly: true }).parseAndRender(template, variables))
      } catch (error) {
        return LiquidError.is(error) ? `${capitalize(templateFault(error))}.` : "The prompt could not be filled in."
      }
    }
    void fill().then((filled) => isCurrent && setText(filled))
    return () => {
      isCurrent = false
    }
  }, [template, contacts.campaign?.name, contacts.variables])
  return (
    <>
      <p className="second-line PromptTab-foot">Filled {contacts.word}.</p>
      <div className="PromptTab-filled">{text}</div>
    </>
  )
}
