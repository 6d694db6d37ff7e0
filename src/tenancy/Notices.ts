/**
 * Notices between processes, over the platform's database (LISTEN, NOTIFY). Those to all processes are hints and may be
 * lost. Those to one process have a channel of their own.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, PubSub, Schedule, type Scope, Stream } from "effect"
import type { SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { DatabaseServer, noticesPool } from "./DatabaseServer.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** Reconnects a lost listener. Until then, waiters rely on their own polling of the database. */
const listenAgain = Schedule.spaced("1 second")

/** A notice to one process. */
export interface Letter {
  /** The id of its node. */
  readonly to: string
  /** At most `longestText` bytes. */
  readonly text: string
}

/** In bytes. PostgreSQL accepts a payload of less than 8,000. */
export const longestText = 7_900

export class Notices extends Context.Service<
  Notices,
  {
    /** Sends to the other processes; a notice that cannot be sent is lost. */
    readonly tell: (text: string) => Effect.Effect<void>
    /** The notices of other processes, from now on. */
    readonly heard: Stream.Stream<string>
    /** Sends all letters in one transaction, in order. If it fails, they may have been sent or not. */
    readonly post: (letters: ReadonlyArray<Letter>) => Effect.Effect<void, SqlError.SqlError>
    /**
     * The letters to this node, from when this effect returns until the scope closes. The stream fails when the
     * connection is lost; some letters are then lost too.
     */
    readonly lettersTo: (
      node: string,
    ) => Effect.Effect<Stream.Stream<string, SqlError.SqlError>, SqlError.SqlError, Scope.Scope>
  }
>()("tenancy/Notices") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      // The platform's database has to be created and migrated first.
      yield* PlatformDatabase
      const { platformDatabase, urlOf } = yield* DatabaseServer
      const open = (name: string, maxConnections: number) =>
        Layer.build(
          noticesPool({ url: urlOf(platformDatabase), name, maxConnections, connectTimeout: "3 seconds" }),
        ).pipe(Effect.map(Context.get(PgClient.PgClient)))
      // One connection listens, the other sends.
      const client = yield* open("parley:notices", 2)
      // If two listeners shared a pool, both might wait for the same connection.
      const letters = yield* open("parley:letters", 1)
      const self = `${randomUUID()} `
      // One connection listens for all subscribers of `heard`.
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
        post: (all) => {
          const channels = all.map(({ to }) => channelOf(to))
          const texts = all.map(({ text }) => text)
          return Effect.asVoid(
            client`select pg_notify(l.channel, l.text) from unnest(${channels}::text[], ${texts}::text[]) as l (channel, text)`,
          )
        },
        lettersTo: (node) =>
          Effect.map(letters.listen(channelOf(node)), (queue) =>
            Stream.map(Stream.fromQueue(queue), ({ payload }) => payload),
          ),
      }
    }),
  )
}

const channel = "parley"
const channelOf = (node: string) => `parley:${node}`
/** The most notices that a slow subscriber has not taken yet. Beyond them, it misses the oldest. */
const keptUnread = 1_000
