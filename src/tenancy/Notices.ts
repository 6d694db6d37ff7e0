/** What processes tell each other, over the platform's database (LISTEN, NOTIFY): hints, which may be lost on the way. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** A listener whose connection is lost comes back; until then, who waits for news has to look by himself. */
const listenAgain = Schedule.spaced("1 second")

export class Notices extends Context.Service<
  Notices,
  {
    /** Tells the other processes; what cannot be told is lost. */
    readonly tell: (text: string) => Effect.Effect<void>
    /** What other processes tell, from now on. */
    readonly heard: Stream.Stream<string>
  }
>()("tenancy/Notices") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      // Made and migrated first.
      yield* PlatformDatabase
      const { platformDatabase, urlOf } = yield* DatabaseServer
      // One connection listens, one tells.
      const client = yield* Layer.build(
        pool({ url: urlOf(platformDatabase), name: "parley:notices", maxConnections: 2, connectTimeout: "3 seconds" }),
      ).pipe(Effect.map(Context.get(PgClient.PgClient)))
      const self = `${randomUUID()} `
      return {
        tell: (text) =>
          client
            .notify(channel, self + text)
            .pipe(Effect.catchCause((cause) => Effect.logWarning("notifying other processes failed", cause))),
        heard: Stream.unwrap(Effect.map(client.listen(channel), Stream.fromQueue)).pipe(
          Stream.retry(listenAgain),
          Stream.orDie,
          Stream.filter(({ payload }) => !payload.startsWith(self)),
          Stream.map(({ payload }) => payload.slice(self.length)),
        ),
      }
    }),
  )
}

const channel = "parley"
