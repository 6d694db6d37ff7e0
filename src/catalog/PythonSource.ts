/**
 * Checks the source of a python tool when it is written: it has to parse, and to define one function of two parameters.
 */
import type { SyntaxNode, Tree } from "@lezer/common"
import { parser } from "@lezer/python"
import type { Budget } from "../offload/Budget.ts"
import type { Job } from "../offload/Job.ts"

/** Syntax of Python 2, which the grammar also accepts. */
const obsolete = new Set(["PrintStatement"])

/**
 * The fault of the source, as the rest of a sentence that begins with "/implementation_code"; undefined if there is
 * none.
 */
export const faultOf = (source: string, budget: Budget): string | undefined => {
  // The parser reads brackets that are never closed again and again: 45,000 took 3 s, 2,000 take 6 ms.
  budget.spend(source.length * 5)
  const tree = parser.parse(source)
  const broken = syntaxFault(tree, source)
  if (broken !== undefined) {
    const before = source.slice(0, broken).split("\n")
    return `does not parse: syntax error at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  }
  const functions = topLevelFunctions(tree.topNode)
  const [only] = functions
  if (only === undefined || functions.length > 1) {
    return `must define exactly one top-level function; it defines ${functions.length}`
  }
  const parameters = parametersOf(only, source)
  if (parameters.some((name) => name.startsWith("*")) || parameters.length !== 2) {
    return `must define a function of two parameters, the arguments and a context; its parameters are (${parameters.join(", ")})`
  }
  return undefined
}

export const reading: Job<string, string | undefined> = { module: import.meta.url, work: faultOf }

/** The functions at the top level. It may also have imports, constants and classes, for which there are no rules. */
const topLevelFunctions = (script: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  childrenOf(script).flatMap((statement) => {
    const definition = statement.name === "DecoratedStatement" ? statement.getChild("FunctionDefinition") : statement
    return definition?.name === "FunctionDefinition" ? [definition] : []
  })

/** The names of the parameters in order, with `*` or `**` before those that are not positional. */
const parametersOf = (definition: SyntaxNode, source: string): ReadonlyArray<string> => {
  const list = definition.getChild("ParamList")
  const names: Array<string> = []
  let star = ""
  let expectsName = true
  for (const child of list === null ? [] : childrenOf(list)) {
    if (child.name === "," || child.name === "(") {
      if (star !== "" && expectsName) names.push(star)
      star = ""
      expectsName = true
    } else if (child.name === "*" || child.name === "**") star = child.name
    else if (child.name === "VariableName" && expectsName) {
      names.push(star + source.slice(child.from, child.to))
      expectsName = false
    }
  }
  return names
}

/** Where the source stops being Python: an error of the grammar, or an indentation that fits no block. */
const syntaxFault = (tree: Tree, source: string): number | undefined => {
  let fault: number | undefined
  tree.iterate({
    enter: (node) => {
      if (fault !== undefined) return false
      if (node.type.isError || obsolete.has(node.name)) fault = node.from
      else if (node.name === "Script" || node.name === "Body") fault = unevenStatement(node.node, source)
      return fault === undefined
    },
  })
  return fault
}

/** The first statement that is indented unlike its neighbours: the grammar accepts it, but Python does not. */
const unevenStatement = (block: SyntaxNode, source: string): number | undefined => {
  let indentation = block.name === "Script" ? "" : undefined
  for (const statement of childrenOf(block)) {
    const lead = source.slice(source.lastIndexOf("\n", statement.from - 1) + 1, statement.from)
    if (statement.name === "Comment" || lead.trim() !== "") continue
    indentation ??= lead
    if (lead !== indentation) return statement.from
  }
  return undefined
}

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}
