/** `parley cells`: which cell serves which account (decision 0068), for people and for the proxy before the cells. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { cellOfRow } from "../tenancy/Cell.ts"
import { platformServer } from "../tenancy/DatabaseServers.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Installation from "./Installation.ts"
import { asJson, printJson, printTable, Refused } from "./Output.ts"

/** Seconds after its last heartbeat from which a process no longer counts. */
const silentSeconds = 15

interface Counts {
  readonly cell: string
  readonly accounts: number
  readonly processes: number
}

const readCells = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  return yield* platform<Counts>`
    select c.cell,
      (select count(*)::int from accounts a where ${cellOfRow(platform)} = c.cell) as accounts,
      (select count(*)::int from nodes
       where nodes.cell = c.cell and seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})) as processes
    from (select ${platformServer}::text as cell union all select name from database_servers) c
    order by c.cell collate "C"`
})

const list = Command.make(
  "list",
  { asJson },
  Effect.fnUntraced(function* ({ asJson }) {
    const cells = yield* readCells
    if (asJson) return yield* printJson(cells)
    yield* printTable(
      cells.map(({ accounts, cell, processes }) => ({
        CELL: cell,
        ACCOUNTS: String(accounts),
        PROCESSES: String(processes),
      })),
    )
  }),
).pipe(
  Command.withDescription(
    "Lists the cells, how many accounts are on each one's PostgreSQL server, and how many running processes have its name as PARLEY_CELL.",
  ),
)

/** Valid slugs that are keywords in a `map` of nginx. With a backslash before them, nginx reads them as text. */
const reserved: ReadonlySet<string> = new Set(["default", "hostnames", "include", "volatile"])

const fallback = Flag.String("default").pipe(
  Flag.withDefault(platformServer),
  Flag.withDescription("The cell for requests that name no account, or an unknown one. By default, the platform's own"),
)

const map = Command.make(
  "map",
  { asJson, fallback },
  Effect.fnUntraced(function* ({ asJson, fallback }) {
    const platform = yield* PlatformDatabase
    if (!(yield* readCells).some(({ cell }) => cell === fallback)) {
      return yield* new Refused({ why: `There is no cell ${fallback}: no PostgreSQL server has this name.` })
    }
    const accounts = yield* platform<{ slug: string; cell: string }>`
      select slug, ${cellOfRow(platform)} as cell from accounts a
      where deleting_at is null order by slug collate "C"`
    if (asJson) return yield* printJson({ default: fallback, accounts })
    const lines = accounts.map(({ cell, slug }) => `${reserved.has(slug) ? "\\" : ""}${slug} ${cell};`)
    yield* Console.log([`default ${fallback};`, ...lines].join("\n"))
  }),
).pipe(
  Command.withDescription(
    "Prints the cell of each account as lines for a `map` of nginx, sorted by account. docs/scale.md has the configuration that includes them.",
  ),
  Command.withExamples([{ command: "parley cells map > cells.map" }]),
)

export const cells = Command.make("cells").pipe(
  Command.withDescription("Shows which cell of processes serves which account."),
  Command.withSubcommands([list, map]),
  Command.provide(Installation.layer),
)
