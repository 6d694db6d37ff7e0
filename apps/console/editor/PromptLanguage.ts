/** Highlights a prompt: variables by how they are filled, headings, names of tools, and unsaved lines. */
import type { Completion, CompletionSource } from "@codemirror/autocomplete"
import { EditorState, type Range, StateEffect, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"
import { changedLines } from "./ChangedLines.ts"
import { variablesIn } from "./Variables.ts"

export interface PromptContext {
  readonly tools: ReadonlyArray<string>
  /** Columns that a contact list is known to have. */
  readonly columns: ReadonlyArray<string>
  /** The saved text. */
  readonly saved?: string
}

export const setPromptContext = StateEffect.define<PromptContext>()

const context = StateField.define<PromptContext>({
  create: () => ({ tools: [], columns: [] }),
  update: (before, { effects }) => effects.findLast((effect) => effect.is(setPromptContext))?.value ?? before,
})

const marks = {
  filled: Decoration.mark({ class: "Editor-variable" }),
  bare: Decoration.mark({ class: "Editor-variable Editor-bare" }),
  unknown: Decoration.mark({ class: "Editor-variable Editor-unknown" }),
  tag: Decoration.mark({ class: "Editor-tag" }),
  tool: Decoration.mark({ class: "Editor-tool" }),
  heading: Decoration.line({ class: "Editor-heading" }),
  changed: Decoration.line({ class: "Editor-changed" }),
}

const decorate = (state: EditorState): DecorationSet => {
  const text = state.doc.toString()
  const { saved, tools } = state.field(context)
  const found: Array<Range<Decoration>> = []
  for (const { from, kind, to } of variablesIn(text)) found.push(marks[kind].range(from, to))
  for (const { index, 0: tag } of text.matchAll(/\{%.*?%\}/gs)) found.push(marks.tag.range(index, index + tag.length))
  for (const { index } of text.matchAll(/^#{1,6} /gm)) found.push(marks.heading.range(index))
  for (const { index, 0: word } of text.matchAll(/\b[a-zA-Z_][\w-]{2,}\b/g)) {
    if (tools.includes(word)) found.push(marks.tool.range(index, index + word.length))
  }
  if (saved !== undefined && saved !== text) {
    for (const line of changedLines(saved, text)) {
      if (line <= state.doc.lines) found.push(marks.changed.range(state.doc.line(line).from))
    }
  }
  return Decoration.set(found, true)
}

const shown = StateField.define<DecorationSet>({
  create: decorate,
  update: (before, transaction) =>
    transaction.docChanged || transaction.effects.some((effect) => effect.is(setPromptContext))
      ? decorate(transaction.state)
      : before,
  provide: (field) => EditorView.decorations.from(field),
})

const always = ["phone_number", "now", "campaign.name"]

const completions: CompletionSource = (at) => {
  const { columns, tools } = at.state.field(context)
  const variable = at.matchBefore(/\{\{\s*[\w.]*/)
  if (variable !== null) {
    const start = variable.to - (/[\w.]*$/.exec(variable.text)?.[0].length ?? 0)
    const options: Array<Completion> = [
      ...columns.map((label) => ({ label, detail: "column", apply: insertClosed(label, ' | default: ""') })),
      ...always.map((label) => ({ label, detail: "in every call", apply: insertClosed(label, "") })),
    ]
    return { from: start, options, validFor: /^[\w.]*$/ }
  }
  const word = at.matchBefore(/\b[a-zA-Z_]\w{2,}/)
  if (word === null) return null
  const options = tools.map((label) => ({ label, detail: "tool" }))
  return { from: word.from, options, validFor: /^\w*$/ }
}

/** Inserts the closing braces too, unless they are typed already. */
const insertClosed = (name: string, filter: string) => (view: EditorView, _: Completion, from: number, to: number) => {
  const hasEnd = /^\s*\}\}/.test(view.state.sliceDoc(to, to + 4))
  const insert = `${name}${filter}${hasEnd ? "" : "}}"}`
  const caret = filter === "" ? from + insert.length : from + name.length + filter.length - 1
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: caret } })
}

export const promptLanguage = () => [context, shown, EditorState.languageData.of(() => [{ autocomplete: completions }])]
