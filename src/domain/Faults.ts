/**
 * Why a value does not match its schema: the faults of a 400, each with a JSON pointer and a sentence in the client's
 * terms.
 */
import { JsonPointer, type SchemaAST, SchemaIssue } from "effect"
import type { Issue } from "./Refusals.ts"

type Path = ReadonlyArray<PropertyKey>

/** Each fault once. `pointer` is where the value is: `/query`, or empty for the body. */
export const faultsOf = (issue: SchemaIssue.Issue, pointer = ""): ReadonlyArray<Issue> => {
  const faults = new Map<string, Issue>()
  for (const { detail, path } of leavesOf(issue, [])) {
    const at = pointer + path.map((key) => `/${JsonPointer.escapeToken(String(key))}`).join("")
    faults.set(`${at} ${detail}`, { pointer: at, detail })
  }
  return [...faults.values()]
}

interface Leaf {
  readonly path: Path
  readonly detail: string
}

/** `said` is the sentence of an outer check; it replaces the sentences of the checks inside it. */
const leavesOf = (issue: SchemaIssue.Issue, path: Path, said?: string): ReadonlyArray<Leaf> => {
  switch (issue._tag) {
    case "Filter":
      return leavesOf(issue.issue, path, said ?? demandOfCheck(issue))
    case "Encoding":
      return leavesOf(issue.issue, path, said)
    case "Pointer":
      return leavesOf(issue.issue, [...path, ...issue.path], said)
    case "Composite":
      return issue.issues.flatMap((inner) => leavesOf(inner, path, said))
    case "AnyOf":
      return [...ofUnion(issue, path, said)]
    default:
      return [{ path, detail: said ?? demandOf(issue) }]
  }
}

/** The faults of a value that fits no member of a union. */
const ofUnion = (issue: SchemaIssue.AnyOf, path: Path, said: string | undefined): ReadonlyArray<Leaf> => {
  if (said !== undefined) return [{ path, detail: said }]
  const members = issue.issues.map((inner) => leavesOf(inner, path))
  // If exactly one member fails only inside the value, its faults say more than those of members that do not resemble
  // the value.
  const closer = members.filter((leaves) => leaves.every((leaf) => leaf.path.length > path.length))
  if (closer.length === 1) return closer.flat()
  if (members.length === 1) return members.flat()
  return [{ path, detail: messageOf(issue.ast) ?? `must be ${kindOf(issue.ast)}${tagsOf(issue.ast)}` }]
}

/**
 * The values that tell the members of a union apart, if all its members are objects: a value with another one fits no
 * member, although it is an object.
 */
const tagsOf = ({ types }: SchemaAST.Union): string => {
  const members = types.flatMap((member) => (member._tag === "Objects" ? [member.propertySignatures] : []))
  if (members.length < types.length) return ""
  for (const { name } of members[0] ?? []) {
    const tags = members.map((properties) => properties.find((property) => property.name === name)?.type)
    if (tags.every((tag) => tag?._tag === "Literal")) return ` whose ${String(name)} is ${list(tags.map(kindOf))}`
  }
  return ""
}

const demandOf = (issue: SchemaIssue.Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "is required"
    case "UnexpectedKey":
      return `is not a known field${knownFields(issue.ast)}`
    case "InvalidType":
      return messageOf(issue.ast) ?? `must be ${kindOf(issue.ast)}`
    default:
      return asDemand(SchemaIssue.defaultLeafHook(issue))
  }
}

/**
 * Names the known fields, if there are at most six, so that a client that misspelt one sees which it may have meant.
 */
const knownFields = (ast: SchemaAST.AST): string => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  return names.length === 0 || names.length > 6 ? "" : `; known fields are ${names.join(", ")}`
}

/** The schema's own message. The default message would name an internal type. */
const messageOf = (ast: SchemaAST.AST): string | undefined => {
  const { message } = ast.annotations ?? {}
  return typeof message === "string" ? message : undefined
}

const demandOfCheck = (issue: SchemaIssue.Filter): string | undefined => {
  const own = SchemaIssue.defaultCheckHook(issue)
  if (own !== undefined) return asDemand(own)
  const { expected } = issue.filter.annotations ?? {}
  return issue.issue._tag === "InvalidValue" && typeof expected === "string" ? asDemand(expected) : undefined
}

/** "a value between 1 and 100" → "must be between 1 and 100". */
const asDemand = (sentence: string): string => {
  const expected = sentence.replace(/^Expected /, "")
  if (expected.startsWith("must ") || expected.startsWith("is ") || expected.startsWith("has ")) return expected
  const [, length] = /^a value with a(?:n)? (length of .*|at (?:least|most) .*)/.exec(expected) ?? []
  if (length !== undefined) return `must have a ${length}`
  if (expected.startsWith("a value with ")) return `must have ${expected.slice("a value with ".length)}`
  if (expected === "an array with unique items") return "must not have an item twice"
  return `must be ${expected.replace(/^a value (?=between|greater|less)/, "")}`
}

/** What a schema accepts, in the type names of JSON. */
const kindOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Objects":
    case "ObjectKeyword":
      return "an object"
    case "Arrays":
      return "an array"
    case "String":
    case "TemplateLiteral":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
    case "Undefined":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return list([...new Set(ast.types.map(kindOf))])
    case "Suspend":
      return kindOf(ast.thunk())
    case "Declaration":
      return ast.encoding === undefined ? "of another kind" : kindOf(ast.encoding[0].to)
    default:
      return "of another kind"
  }
}

const list = (kinds: ReadonlyArray<string>): string =>
  kinds.length < 2 ? kinds.join("") : `${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`
