/** The csv module of CPython, as a second reader of exported files. */
import { loadPyodide } from "pyodide"

/** The rows of each text. Throws if a text is not strictly CSV. */
export const readByPython = async (
  texts: ReadonlyArray<string>,
): Promise<ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>> => {
  const python = await loadPyodide()
  python.globals.set("texts", JSON.stringify(texts))
  return JSON.parse(
    python.runPython(`
      import csv, io, json
      json.dumps([list(csv.reader(io.StringIO(text, newline=""), strict=True)) for text in json.loads(texts)])
    `),
  )
}
