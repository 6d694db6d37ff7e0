/**
 * The header of `results.csv`: what Parley knows, the columns of the list, what the agent recorded, and what the calls
 * cost. No two columns have the same name, so that an export can be imported as a list.
 */
import { guardFormulas } from "../domain/FormulaGuard.ts"
import { numberColumn } from "./lists/ListHeader.ts"

/** The columns after the phone number, before the list's. */
const fixed = ["status", "outcome", "attempts", "last_called_at", "duration_seconds"]

/** The column after the costs, of campaigns whose agent has dispositions or had one for a call. */
export const dispositionColumn = "disposition"

/** The number of the last attempt, of campaigns whose contacts have several. */
export const dialledColumn = "dialled_number"

/** Two names that an import would read as the same one. */
const keyOf = (name: string) => guardFormulas(name).trim()

/**
 * The names in their order. A column whose name an earlier one has gets a prefix, `list_` or `result_`, and if that is a
 * name too, a number. All other columns keep their names. `last` are further columns of Parley, with the prefix `call_`.
 */
export const namesOf = (
  list: ReadonlyArray<string>,
  fields: ReadonlyArray<string>,
  last: ReadonlyArray<string> = [],
) => {
  const own = new Set([...fixed, ...list, ...fields, ...last].map(keyOf))
  const used = new Set(["", ...[numberColumn, ...fixed].map(keyOf)])
  const nameOf = (prefix: string) => (name: string) => {
    let chosen = name
    for (let count = 1; used.has(keyOf(chosen)) || (chosen !== name && own.has(keyOf(chosen))); count++) {
      chosen = count === 1 ? `${prefix}${name}` : `${prefix}${name}_${count}`
    }
    used.add(keyOf(chosen))
    return chosen
  }
  return [
    numberColumn,
    ...fixed,
    ...list.map(nameOf("list_")),
    ...fields.map(nameOf("result_")),
    ...last.map(nameOf("call_")),
  ] as const
}
