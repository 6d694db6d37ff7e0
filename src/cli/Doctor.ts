/**
 * `parley doctor`: checks the server, the key, the folders and the bucket before Parley uses them. Changes nothing,
 * except that it writes and deletes one small object in the bucket.
 */
import { Config, Console, Context, Effect, Exit, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
import { DataFolder } from "../tenancy/DataFolder.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { OnlyExisting } from "../tenancy/OnlyExisting.ts"
import * as FolderChecks from "./FolderChecks.ts"
import { type Finding, failure, ok } from "./Finding.ts"
import { asJson, printJson, Refused } from "./Output.ts"
import * as RulePackChecks from "./RulePackChecks.ts"
import * as RecordingChecks from "./RecordingChecks.ts"
import * as ServerChecks from "./ServerChecks.ts"

const layers = {
  server: DatabaseServer.layer.pipe(Layer.provide(DataFolder.layer), Layer.provide(Layer.succeed(OnlyExisting, true))),
  key: MasterKey.layer.pipe(Layer.provide(DataFolder.layer), Layer.provide(Layer.succeed(OnlyExisting, true))),
}

/** Runs `self`. Its failure becomes a finding, and does not fail the command. */
const attempt = <A, E extends { readonly message: string }, R>(check: string, self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(self), (exit) =>
    Exit.isSuccess(exit)
      ? { value: exit.value, findings: [] }
      : {
          value: undefined,
          findings: [
            failure(
              check,
              Option.match(Exit.findErrorOption(exit), {
                onNone: () => "The check itself failed; this is a fault of Parley.",
                onSome: ({ message }) => message,
              }),
            ),
          ],
        },
  )

const examine = Effect.fnUntraced(function* (processes: number | undefined) {
  const folder = yield* Effect.provide(DataFolder, DataFolder.layer)
  const isEmbedded = Option.isNone(yield* Config.option(Config.Redacted("DATABASE_URL")))
  const folders = [
    ...(yield* FolderChecks.run(folder)),
    ...(yield* RecordingChecks.run),
    ...(yield* RulePackChecks.run),
  ]
  if (isEmbedded && !FolderChecks.hasDatabase(folder)) {
    const fresh = ok(
      "connection",
      "There is no database yet: the first start makes an embedded PostgreSQL in the data folder.",
    )
    return [fresh, ...folders]
  }
  const key = yield* attempt("encryption key", Effect.map(Layer.build(layers.key), Context.get(MasterKey)))
  const server = yield* attempt("connection", Effect.map(Layer.build(layers.server), Context.get(DatabaseServer)))
  const checks =
    server.value === undefined
      ? { findings: [] }
      : yield* attempt(
          "server",
          ServerChecks.run({ server: server.value, key: key.value, isEmbedded, processes }),
        ).pipe(Effect.map(({ findings, value }) => ({ findings: [...(value ?? []), ...findings] })))
  return [...server.findings, ...checks.findings, ...key.findings, ...folders]
}, Effect.scoped)

const line = ({ check, result, says }: Finding) => `${result.padEnd(7)}  ${check}: ${says}`

export const doctor = Command.make(
  "doctor",
  {
    processes: Flag.Int("processes").pipe(
      Flag.withDescription("How many processes of Parley will share the server (default: those that run, or one)"),
      Flag.optional,
    ),
    asJson,
  },
  Effect.fnUntraced(function* ({ asJson, processes }) {
    const findings: ReadonlyArray<Finding> = yield* examine(Option.getOrUndefined(processes))
    if (asJson) yield* printJson(findings)
    else yield* Effect.forEach(findings, (finding) => Console.log(line(finding)), { discard: true })
    const count = findings.filter(({ result }) => result === "problem").length
    if (count > 0)
      return yield* new Refused({ why: `Problems: ${count}. Parley should not be started before they are solved.` })
  }),
).pipe(
  Command.withDescription(
    "Checks the PostgreSQL server, the encryption key, the folders and the bucket of recordings that the environment names, before Parley uses them. Changes nothing; in the bucket it writes one small object and deletes it. Exits with 1 if there is a problem; warnings do not count.",
  ),
)
