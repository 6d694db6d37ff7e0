/** A scenario file in YAML, which includes JSON, with the line of each value. */
import { readFileSync } from "node:fs"
import { isNode, LineCounter, parseDocument } from "yaml"

/** A fault of a file or of the command line, explained in sentences. */
export class FileError extends Error {}

export interface ScenarioFile {
  /** The body for `POST …/scenario-runs`. */
  readonly body: { readonly scenarios: unknown }
  /** `file:line` of the value that a JSON pointer names, or of the nearest value around it. */
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

/** A position in a list is a number. */
const unescaped = (token: string) =>
  /^\d+$/.test(token) ? Number(token) : token.replaceAll("~1", "/").replaceAll("~0", "~")
