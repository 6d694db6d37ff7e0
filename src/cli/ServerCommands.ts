/** `parley servers`: the PostgreSQL servers on which accounts may live, beside the platform's own (decision 0063). */
import { Config, Console, Effect, Option, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { DatabaseServer, type Server } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers, isSame, platformServer, serverAt } from "../tenancy/DatabaseServers.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { findPooler } from "../tenancy/Poolers.ts"
import { identityOf } from "../tenancy/RestoredServers.ts"
import * as Installation from "./Installation.ts"
import { asJson, isDryRun, printJson, printTable, Refused } from "./Output.ts"
import * as ServerChecks from "./ServerChecks.ts"

const name = Argument.String("name").pipe(Argument.withDescription("The server's name: a-z, 0-9, _ and -"))

const list = Command.make(
  "list",
  { asJson },
  Effect.fnUntraced(function* ({ asJson }) {
    const platform = yield* PlatformDatabase
    const own = yield* DatabaseServer
    const servers = yield* DatabaseServers
    const counts = yield* platform<{ server: string | null; accounts: number }>`
      select server, count(*)::int as accounts from accounts group by server`
    const accountsOn = (server: string | null) => counts.find((row) => row.server === server)?.accounts ?? 0
    const others = (yield* servers.registered).map(({ name, url }) => ({
      name,
      host: url === null ? null : new URL(Redacted.value(url)).host,
      accounts: accountsOn(name),
    }))
    const rows = [{ name: platformServer, host: own.host, accounts: accountsOn(null) }, ...others]
    if (asJson) return yield* printJson(rows)
    yield* printTable(
      rows.map(({ accounts, host, name }) => ({
        SERVER: name,
        HOST: host ?? "another key",
        ACCOUNTS: String(accounts),
      })),
    )
  }),
).pipe(Command.withDescription("Lists the servers, their addresses, and how many accounts are on each."))

const readUrl = Effect.gen(function* () {
  const given = Option.getOrUndefined(yield* Config.option(Config.Redacted("PARLEY_SERVER_URL")))
  const url = given && URL.parse(Redacted.value(given))
  if (url?.protocol !== "postgres:" && url?.protocol !== "postgresql:") {
    return yield* new Refused({
      why: "Set PARLEY_SERVER_URL to the URL of the server: postgres://parley:…@host:5432/postgres. It is not an argument, because other users of the machine see those.",
    })
  }
  return Redacted.make(url.href)
})

/** Two names for one server would let a move copy an account onto itself. Compares with the servers that answer. */
const refuseKnown = Effect.fnUntraced(function* (name: string, server: Server, identifier: string | undefined) {
  const servers = yield* DatabaseServers
  const isIt = Effect.fnUntraced(function* (known: string) {
    const other = yield* servers.find(known === platformServer ? null : known)
    const is = yield* identityOf(other.maintenance)
    return (identifier !== undefined && is?.system_identifier === identifier) || (yield* isSame(server, other))
  })
  const others = (yield* servers.registered).flatMap((other) => (other.name === name ? [] : [other.name]))
  const [known] = yield* Effect.filter([platformServer, ...others], (other) =>
    Effect.catch(isIt(other), () => Effect.succeed(false)),
  )
  if (known === undefined) return
  return yield* new Refused({ why: `This is the server ${known}, or a copy of it. Nothing was changed.` })
})

const set = Command.make(
  "set",
  { name, isDryRun },
  Effect.fnUntraced(function* ({ isDryRun, name }) {
    if (!/^[a-z0-9][a-z0-9_-]{0,62}$/u.test(name) || name === platformServer) {
      return yield* new Refused({
        why: `The name must be 1 to 63 of a-z, 0-9, _ and -, beginning with a letter or digit, and not ${platformServer}.`,
      })
    }
    const platform = yield* PlatformDatabase
    const url = yield* readUrl
    const server = yield* serverAt(url)
    const pooler = yield* findPooler(server.urlOf("postgres"))
    if (pooler !== undefined) return yield* new Refused({ why: `Parley cannot use ${server.host}: ${pooler}.` })
    const findings = yield* ServerChecks.runOther(server, undefined)
    yield* Effect.forEach(
      findings.filter(({ result }) => result !== "ok"),
      ({ check, result, says }) => Console.error(`${result}  ${check}: ${says}`),
    )
    if (findings.some(({ result }) => result === "problem")) {
      return yield* new Refused({ why: "The server has problems; they are in the lines above. Nothing was changed." })
    }
    const is = yield* identityOf(server.maintenance)
    yield* refuseKnown(name, server, is?.system_identifier)
    const [was] = yield* platform`select from database_servers where name = ${name}`
    const verb = was === undefined ? "register" : "change the URL of"
    if (isDryRun) return yield* Console.log(`Would ${verb} the server ${name} at ${server.host}.`)
    yield* DatabaseServers.use(({ register }) => register(name, url))
    // A known server keeps its recorded identity: if it is a restored copy now, its accounts are paused.
    if (was === undefined && is !== undefined) {
      yield* platform`update database_servers set ${platform.update(is)} where name = ${name}`
    }
    yield* Console.log(
      was === undefined
        ? `Registered the server ${name} at ${server.host}.`
        : `Changed the URL of the server ${name}: running processes use it within seconds.`,
    )
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Registers a PostgreSQL server for accounts, or gives it another URL, for example with a new password. Reads the URL from PARLEY_SERVER_URL and seals it with the encryption key. Checks the server first.",
  ),
  Command.withExamples([{ command: "PARLEY_SERVER_URL=postgres://parley:…@pg2:5432/postgres parley servers set pg2" }]),
)

const remove = Command.make(
  "remove",
  { name, isDryRun },
  Effect.fnUntraced(function* ({ isDryRun, name }) {
    const platform = yield* PlatformDatabase
    const [found] = yield* platform<{ accounts: number; unfinished: number }>`
      select (select count(*)::int from accounts where server = s.name) as accounts,
        (select count(*)::int from account_moves where s.name in (from_server, to_server))
          + (select count(*)::int from unfinished_databases where server = s.name) as unfinished
      from database_servers s where name = ${name}`
    if (found === undefined) return yield* new Refused({ why: `There is no server ${name}.` })
    if (found.accounts > 0 || found.unfinished > 0) {
      return yield* new Refused({
        why: `The server ${name} has accounts: ${found.accounts}, and unfinished moves or creations: ${found.unfinished}. Move the accounts first.`,
      })
    }
    if (isDryRun) return yield* Console.log(`Would forget the server ${name}.`)
    yield* platform`delete from database_servers where name = ${name}`
    yield* Console.log(`Forgot the server ${name}. Nothing on it was changed.`)
  }),
).pipe(Command.withDescription("Forgets a server on which no account is. Changes nothing on the server."))

export const servers = Command.make("servers").pipe(
  Command.withDescription("Lists, registers and forgets the PostgreSQL servers on which accounts may live."),
  Command.withSubcommands([list, set, remove]),
  Command.provide(Installation.layer),
)
