/** `parley accounts move`: moves an account to another PostgreSQL server, while Parley runs (decision 0063). */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SqlError } from "effect/sql"
import { AccountSlug } from "../domain/Account.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import * as AccountMoves from "../tenancy/AccountMoves.ts"
import { DatabaseServer, serverWord } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers, isSame, platformServer } from "../tenancy/DatabaseServers.ts"
import { identityOf } from "../tenancy/RestoredServers.ts"
import { UnfinishedMoves } from "../tenancy/UnfinishedMoves.ts"
import { verifyRows } from "./Invariants.ts"
import { asJson, isDryRun, printJson, Refused } from "./Output.ts"
import * as ServerChecks from "./ServerChecks.ts"

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`

/** Checks the target as `parley doctor` does. Problems refuse the move, and warnings are printed. */
const checkTarget = Effect.fnUntraced(function* ({ server }: AccountEntry, to: string | null) {
  const servers = yield* DatabaseServers
  const [source, target] = [yield* servers.find(server), yield* servers.find(to)]
  const findings = yield* ServerChecks.runOther(target, undefined)
  const notable = findings.filter(({ result }) => result !== "ok")
  yield* Effect.forEach(notable, ({ check, result, says }) => Console.error(`${result}  ${check}: ${says}`))
  if (notable.some(({ result }) => result === "problem")) {
    return yield* new Refused({ why: "The target has problems; they are in the lines above. Nothing was changed." })
  }
  const [from, into] = [yield* identityOf(source.maintenance), yield* identityOf(target.maintenance)]
  const isCopy = from !== undefined && from.system_identifier === into?.system_identifier
  if (isCopy || (yield* isSame(source, target))) {
    return yield* new Refused({ why: "Both names are the same server, or one is a copy of the other." })
  }
})

/** A fault of a server ends the command with a sentence. */
const orRefuse =
  (explain: (says: string) => string) =>
  <A, E, R>(asking: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<A, E | Refused, R> =>
    Effect.mapError(asking, (error) =>
      SqlError.isSqlError(error) ? new Refused({ why: explain(serverWord(error)) }) : error,
    )

const say = (text: string) => Console.error(text)
const ofOwn = (says: string) => `The account's server cannot be used: ${says}. Nothing was changed.`

const abandonOne = Effect.fnUntraced(function* (entry: AccountEntry, isDryRun: boolean) {
  const { slug } = entry.account
  if (isDryRun) return yield* Console.log(`Would undo the move of ${slug}.`)
  yield* Console.log(
    `Undid the move of ${slug}: it is on ${yield* AccountMoves.abandon(entry, say).pipe(orRefuse(ofOwn))}.`,
  )
})

export const moveToServer = Command.make(
  "move",
  {
    slug: Argument.String("slug").pipe(
      Argument.withDescription("The account, as in X-Account-ID"),
      Argument.withSchema(AccountSlug),
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription(`The name of a server (\`parley servers list\`); ${platformServer} for the platform's own`),
      Flag.optional,
    ),
    drains: Flag.Boolean("drain").pipe(
      Flag.withDescription("Wait for the end of live calls. No call begins meanwhile"),
      Flag.withDefault(false),
    ),
    abandons: Flag.Boolean("abandon").pipe(
      Flag.withDescription("Undo a move that was killed, at once: the account stays where it is"),
      Flag.withDefault(false),
    ),
    asJson,
    isDryRun,
  },
  Effect.fnUntraced(function* ({ abandons, asJson, drains, isDryRun, slug, to }) {
    const directory = yield* AccountDirectory
    const entry = yield* directory.find(slug)
    if (abandons === Option.isSome(to)) return yield* new Refused({ why: "Say either --to or --abandon." })
    if (Option.isNone(to)) return yield* abandonOne(entry, isDryRun)
    const target = to.value === platformServer ? null : to.value
    const pending = yield* UnfinishedMoves.use(({ find }) => find(entry.id))
    const obstacle = pending?.step === "switched" ? undefined : AccountMoves.obstacleTo(entry, target)
    if (obstacle !== undefined) return yield* new Refused({ why: obstacle })
    if (pending?.step !== "switched") {
      const which = `The server ${to.value}, or the account's own,`
      yield* checkTarget(entry, target).pipe(
        orRefuse((says) => `${which} cannot be used: ${says}. Nothing was changed.`),
      )
    }
    const live = pending === undefined ? yield* AccountMoves.countLive(entry).pipe(orRefuse(ofOwn)) : 0
    if (live > 0 && !drains) {
      return yield* new Refused({
        why: `Live calls: ${live}. Repeat the command with --drain, which waits for their end. Nothing was changed.`,
      })
    }
    if (isDryRun) {
      const { host } = yield* DatabaseServer
      const from = entry.server ?? `${platformServer} (${host})`
      return yield* Console.log(
        `Would move ${slug} from ${from} to ${to.value}: the database ${entry.database} and its role. Live calls now: ${live}.`,
      )
    }
    const moved = yield* AccountMoves.move({ entry, to: target, drains, verify: verifyRows, say }).pipe(
      orRefuse((says) => `The move failed: ${says}.`),
    )
    if (asJson) return yield* printJson({ slug, server: to.value, ...moved })
    yield* Console.log(
      moved === undefined
        ? `Finished the move of ${slug} to ${to.value}.`
        : `Moved ${slug} to ${to.value}: ${moved.rows.toLocaleString("en")} rows. It was away for ${seconds(moved.awayMs)}.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Moves an account's database to another PostgreSQL server, while Parley runs. The account begins no call for some seconds, then answers 503 while its rows are copied and verified. Refused while calls are live, unless --drain waits for them. A move that is killed is undone or finished by a running process within seconds, or with --abandon.",
  ),
  Command.withExamples([{ command: "parley accounts move acme --to pg2 --drain" }]),
)
