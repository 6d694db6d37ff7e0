/** The largest contact list that the API accepts: 100,000 rows in 10 MB, each with a different number. */
import { parseArgs } from "node:util"

/** The options of a measurement: the rows of the list, and how often it is measured. */
export const listOptions = {
  rows: { type: "string", default: "100000" },
  rounds: { type: "string", default: "5" },
} as const

/** The list that a measurement's arguments ask for, and the options with which Node writes a CPU profile. */
export const readListArguments = (args: Array<string>) => {
  const { values } = parseArgs({ args, options: { ...listOptions, profile: { type: "string" } } })
  const rows = rowsOf(Number(values.rows))
  const profile = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  return { rows, csv: csvOf(rows), rounds: Number(values.rounds), profile }
}

export const rowsOf = (
  count: number,
): ReadonlyArray<{ readonly phone_number: string; readonly fields: Record<string, string> }> =>
  Array.from({ length: count }, (_, at) => ({
    phone_number: `+49151${String(10_000_000 + at)}`,
    fields: {
      first_name: `Ada${at % 997}`,
      last_name: `Lovelace-${at % 9973}`,
      city: cities[at % cities.length] ?? "",
      plan: at % 3 === 0 ? "premium" : "standard",
      note: `Call about the renewal of contract ${10_000 + at} for Ada`,
    },
  }))

const cities = ["London", "Köln", "São Paulo", "Wien", "Reykjavík", "New York"]

export const csvOf = (rows: ReturnType<typeof rowsOf>): Buffer =>
  Buffer.from(
    ["phone_number,first_name,last_name,city,plan,note"]
      .concat(rows.map(({ fields, phone_number }) => [phone_number, ...Object.values(fields)].join(",")))
      .join("\n") + "\n",
  )
