/** Notices between processes, over the platform's database (LISTEN, NOTIFY). They are hints and may be lost. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { DatabaseServer, noticesPool } from "./DatabaseServer.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** Reconnects a lost listener. Until then, waiters rely on their own polling of the database. */
const listenAgain = Schedule.spaced("1 second")

export class Notices extends Context.Service<
  Notices,
  {
    /** Sends to the other processes; a notice that cannot be sent is lost. */
    readonly tell: (text: string) => Effect.Effect<void>
    /** The notices of other processes, from now on. */
    readonly heard: Stream.Stream<string>
  }
>()("tenancy/Notices") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      // The platform's database has to be created and migrated first.
      yield* PlatformDatabase
      const { platformDatabase, urlOf } = yield* DatabaseServer
      // One connection listens, the other sends.
      const client = yield* Layer.build(
        noticesPool({
          url: urlOf(platformDatabase),
          name: "parley:notices",
          maxConnections: 2,
          connectTimeout: "3 seconds",
        }),
      ).pipe(Effect.map(Context.get(PgClient.PgClient)))
      const self = `${randomUUID()} `
      // One connection listens for all that wait for notices.
      const news = yield* PubSub.sliding<string>(keptUnread)
      yield* Stream.unwrap(Effect.map(client.listen(channel), Stream.fromQueue)).pipe(
        Stream.retry(listenAgain),
        Stream.orDie,
        Stream.filter(({ payload }) => !payload.startsWith(self)),
        Stream.runForEach(({ payload }) => PubSub.publish(news, payload.slice(self.length))),
        Effect.forkScoped,
      )
      return {
        tell: (text) =>
          client
            .notify(channel, self + text)
            .pipe(Effect.catchCause((cause) => Effect.logWarning("notifying other processes failed", cause))),
        heard: Stream.fromPubSub(news),
      }
    }),
  )
}

const channel = "parley"
/** Notices that a slow listener has not taken yet; then it misses the oldest. */
const keptUnread = 1_000
