/** Highlights Python, and reports problems of a tool's code while it is typed. The server makes the final check. */
import { python } from "@codemirror/lang-python"
import { ensureSyntaxTree } from "@codemirror/language"
import type { EditorState } from "@codemirror/state"
import { codeColours } from "./EditorTheme.ts"

export interface PythonShape {
  /** Top-level functions, each with its number of parameters. */
  readonly functions: ReadonlyArray<{ readonly name: string; readonly parameters: number }>
  /** The first line that does not parse, from 1. */
  readonly brokenLine: number | undefined
}

export const pythonLanguage = () => [python(), codeColours]

/** Milliseconds that parsing a text may take. */
const patience = 200

export const shapeOf = (state: EditorState): PythonShape => {
  const tree = ensureSyntaxTree(state, state.doc.length, patience)
  const functions: Array<{ name: string; parameters: number }> = []
  let brokenLine: number | undefined
  tree?.iterate({
    enter: (node) => {
      if (node.type.isError) brokenLine ??= state.doc.lineAt(node.from).number
      if (node.name === "FunctionDefinition" && isTopLevel(node.node.parent?.name, node.node.parent?.parent?.name)) {
        const name = node.node.getChild("VariableName")
        const parameters = node.node.getChild("ParamList")?.getChildren("VariableName") ?? []
        functions.push({
          name: name === null ? "" : state.sliceDoc(name.from, name.to),
          parameters: parameters.length,
        })
      }
    },
  })
  return { functions, brokenLine }
}

const isTopLevel = (parent?: string, above?: string): boolean =>
  parent === "Script" || (parent === "DecoratedStatement" && above === "Script")
