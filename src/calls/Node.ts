/** This process among those that conduct calls, and which of the others are gone (`migrations/platform/0002_nodes.sql`). */
import { Config, Context, Effect, Layer, Option, Schedule } from "effect"
import { v7 as uuidv7 } from "uuid"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"

/** A node says every few seconds that it is there; three times missed, and some more for a slow moment, is gone. */
const renewEvery = "5 seconds"
const goneAfterSeconds = 15

export class Node extends Context.Service<
  Node,
  {
    readonly id: string
    /** Of these nodes, those that are gone. One that has no row was never there, or is long forgotten. */
    readonly gone: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /** Rows of nodes that are gone, for somebody to settle what they left and forget them. */
    readonly departed: Effect.Effect<ReadonlyArray<string>>
    /** Asks the node that conducts the call to hang it up; it sees that within a second. */
    readonly askToHangUp: (call: string, node: string) => Effect.Effect<void>
    /** The calls that this node was asked to hang up, each once. */
    readonly hangUps: Effect.Effect<ReadonlyArray<string>>
    readonly forget: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("calls/Node") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const id = uuidv7()
      // Only one process can have the embedded server's folder: at boot all others are gone, however lately seen.
      if (Option.isNone(yield* Config.option(Config.String("DATABASE_URL")))) {
        yield* sql`update nodes set seen_at = '-infinity'`
      }
      const renew = sql`
        insert into nodes (id) values (${id}) on conflict (id) do update set seen_at = clock_timestamp()`
      yield* renew
      yield* renew.pipe(
        Effect.catchCause((cause) => Effect.logWarning("this node could not say that it is there", cause)),
        Effect.repeat(Schedule.spaced(renewEvery)),
        Effect.forkScoped,
      )
      const isGone = sql`seen_at < clock_timestamp() - make_interval(secs => ${goneAfterSeconds})`
      return {
        id,
        gone: (ids) =>
          Effect.map(
            sql<{ id: string }>`select id from nodes where id = any(${[...ids]}::uuid[]) and not (${isGone})`,
            (alive) => {
              const there = new Set([id, ...alive.map((row) => row.id)])
              return new Set(ids.filter((other) => !there.has(other)))
            },
          ).pipe(Effect.orDie),
        departed: Effect.map(sql<{ id: string }>`select id from nodes where ${isGone} and id <> ${id}`, (rows) =>
          rows.map((row) => row.id),
        ).pipe(Effect.orDie),
        askToHangUp: (call, node) =>
          Effect.orDie(
            Effect.asVoid(sql`
              insert into hang_ups (call_id, node_id) select ${call}, id from nodes where id = ${node}
              on conflict do nothing`),
          ),
        hangUps: Effect.map(
          sql<{ call_id: string }>`delete from hang_ups where node_id = ${id} returning call_id`,
          (rows) => rows.map((row) => row.call_id),
        ).pipe(Effect.orDie),
        forget: (ids) =>
          Effect.orDie(Effect.asVoid(sql`delete from nodes where id = any(${[...ids]}::uuid[]) and ${isGone}`)),
      }
    }),
  )
}
