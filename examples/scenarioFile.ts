/** A scenario file: YAML, of which JSON is a part, and on which line each of its values stands. */
import { readFileSync } from "node:fs"
import { isNode, LineCounter, parseDocument } from "yaml"

/** Something is wrong with a file or the command line, said in sentences. */
export class FileError extends Error {}

export interface ScenarioFile {
  /** What `POST …/scenario-runs` takes. */
  readonly body: { readonly scenarios: unknown }
  /** `file:line` of what a JSON pointer names, or of the nearest thing around it. */
  readonly where: (pointer: string) => string
}

export const readScenarios = (file: string): ScenarioFile => {
  const lines = new LineCounter()
  const document = parseDocument(textOf(file), { lineCounter: lines })
  const at = (offset: number) => `${file}:${lines.linePos(offset).line}`
  const faults = document.errors.map(({ message, pos }) => `${at(pos[0])}: ${message.split("\n", 1)[0]}`)
  if (faults.length > 0) throw new FileError(faults.join("\n"))
  const body: unknown = document.toJS()
  if (typeof body !== "object" || body === null || !("scenarios" in body)) {
    throw new FileError(`${file}:1: must have a list under "scenarios"`)
  }
  const where = (pointer: string) => {
    const path = pointer.split("/").slice(1).map(unescaped)
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return `${file}:1`
  }
  return { body, where }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw new FileError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** A place in a list is a number. */
const unescaped = (token: string) =>
  /^\d+$/.test(token) ? Number(token) : token.replaceAll("~1", "/").replaceAll("~0", "~")
