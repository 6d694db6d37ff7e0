/** CodeMirror as a controlled React field. The language decides what is highlighted. */
import { autocompletion, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { json } from "@codemirror/lang-json"
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language"
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint"
import { Compartment, EditorState } from "@codemirror/state"
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view"
import { useEffect, useLayoutEffect, useRef } from "react"
import { type PythonShape, pythonLanguage, shapeOf } from "./PythonLanguage.ts"
import { promptLanguage, setPromptContext, type PromptContext } from "./PromptLanguage.ts"
import { codeColours, editorTheme } from "./EditorTheme.ts"

export interface Fault {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export interface EditorProps {
  readonly label: string
  readonly language: "prompt" | "python" | "json"
  readonly value: string
  readonly onChange?: (value: string) => void
  readonly isReadOnly?: boolean
  readonly hasLineNumbers?: boolean
  /** For a prompt: the names that it may use. */
  readonly context?: PromptContext
  /** Problems by line, shown in the margin and as underlines. */
  readonly faults?: ReadonlyArray<Fault>
  /** For Python: called with the code's definitions at each change. */
  readonly onShape?: (shape: PythonShape) => void
  readonly onReady?: (view: EditorView) => void
  /** The id of the element that says how to leave an editor in which Tab indents. */
  readonly describedBy?: string
}

const languages = { prompt: promptLanguage, python: pythonLanguage, json: () => [json(), codeColours] }

const none: ReadonlyArray<Fault> = []

export const CodeMirrorEditor = ({
  context,
  describedBy,
  faults = none,
  hasLineNumbers = true,
  isReadOnly = false,
  label,
  language,
  onChange,
  onReady,
  onShape,
  value,
}: EditorProps) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const editable = useRef(new Compartment())
  const latest = useRef({ onChange, onReady, onShape, value, context })
  useLayoutEffect(() => {
    latest.current = { onChange, onReady, onShape, value, context }
  })

  useEffect(() => {
    const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce
    const editor = new EditorView({
      parent: place.current ?? document.body,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
          hasLineNumbers ? lineNumbers() : [],
          history(),
          drawSelection(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-label": label,
            ...(describedBy !== undefined && { "aria-describedby": describedBy }),
            spellcheck: language === "prompt" ? "true" : "false",
          }),
          languages[language](),
          autocompletion({ icons: false }),
          language === "prompt"
            ? []
            : [lintGutter(), bracketMatching(), indentOnInput(), indentUnit.of(language === "json" ? "  " : "    ")],
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
            ...historyKeymap,
            // Esc, then Tab, leaves the editor. `Editor` says so below it.
            ...(language === "prompt" ? [] : [indentWithTab]),
          ]),
          editorTheme,
          editable.current.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && update.state.doc.toString() !== latest.current.value)
              latest.current.onChange?.(update.state.doc.toString())
            if (update.docChanged) latest.current.onShape?.(shapeOf(update.state))
          }),
        ],
      }),
    })
    view.current = editor
    if (latest.current.context !== undefined) editor.dispatch({ effects: setPromptContext.of(latest.current.context) })
    latest.current.onShape?.(shapeOf(editor.state))
    latest.current.onReady?.(editor)
    return () => editor.destroy()
  }, [describedBy, hasLineNumbers, label, language])

  // A layout effect runs before the next key. A later effect would write an older text over a letter just typed.
  useLayoutEffect(() => {
    const editor = view.current
    if (editor !== null && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
    }
  }, [value])

  useEffect(() => {
    if (context !== undefined) view.current?.dispatch({ effects: setPromptContext.of(context) })
  }, [context])

  useEffect(() => {
    view.current?.dispatch({
      effects: editable.current.reconfigure([
        EditorState.readOnly.of(isReadOnly),
        isReadOnly ? EditorView.contentAttributes.of({ "aria-readonly": "true" }) : [],
      ]),
    })
  }, [isReadOnly])

  useEffect(() => {
    const editor = view.current
    if (editor !== null) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, faults)))
  }, [faults])

  return <div ref={place} className="Editor-place" />
}

const diagnosticsOf = (state: EditorState, faults: ReadonlyArray<Fault>): Array<Diagnostic> =>
  faults
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, text }) => {
      const { from, to } = state.doc.line(line)
      return { from, to, severity: "error", message: text }
    })
