/**
 * The engine's registry in the platform's database: the runners are the nodes that take part, and `shards` says which
 * of them owns each shard. A shard can be taken only from a node that is dead or has released it. Each cell has shards
 * of its own, and so do the processes that serve all accounts.
 */
import { Clock, Context, Effect, Layer, Queue, Stream } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as MachineId from "effect/cluster/MachineId"
import * as Runner from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import { SqlClient } from "effect/sql"
import { Cell } from "../tenancy/Cell.ts"
import { Notices } from "../tenancy/Notices.ts"
import { DatabaseServer, pool } from "../tenancy/DatabaseServer.ts"
import { Node } from "./Node.ts"
import * as Peers from "./Peers.ts"

/**
 * How long this process waits for shards that their previous owner is about to release. It is shorter than the engine's
 * time limit for acquiring (`shardLockRefreshInterval`).
 */
const waitMs = 500
const tryEvery = "40 millis"

/** The engine knows a process by its node's id, so a restarted process is a new runner. */
export const addressOf = (node: string): RunnerAddress.RunnerAddress => RunnerAddress.make(node, 0)

/** The shards of a cell, and those of the processes without one. No server's name has a space. */
export const groupOf = (cell: string | null): string => (cell === null ? "default" : `cell ${cell}`)

/**
 * How long this process waits for the notice of a change before it reads the runners again: a killed process sends no
 * notice.
 */
const readEvery = "200 millis"
/** The same while it is the only runner: no other can die, and only the notice of one that joins may be lost. */
const readAloneEvery = "1 second"
/** The notice that a runner has joined or left. It cannot be the slug of an account. */
export const changed = "~runners"

export interface Registry {
  readonly storage: RunnerStorage.RunnerStorage["Service"]
  /** Whether this process owns the shard. */
  readonly isOwner: (shard: string) => Effect.Effect<boolean>
  /** The other living runners, as last read; none when this process has left. */
  readonly peers: () => ReadonlyArray<Peers.Peer>
}

export const make = Effect.gen(function* () {
  const sql = yield* ownConnections
  const node = yield* Node
  const cell = yield* Cell
  const waitForNews = yield* listen
  const { id } = node
  let hasLeft = false
  /** How many runners the last answer had. */
  let seen = 0
  const peers = Peers.make(id)
  const tellOthers = (yield* Notices).tell(changed)

  const acquire = Effect.fnUntraced(function* (shards: ReadonlyArray<string>) {
    const until = (yield* Clock.currentTimeMillis) + waitMs
    const taken = new Set(yield* takeShards(sql, node, shards))
    while (taken.size < shards.length && (yield* Clock.currentTimeMillis) < until) {
      yield* Effect.sleep(tryEvery)
      const missing = shards.filter((shard) => !taken.has(shard))
      for (const shard of yield* takeShards(sql, node, missing)) taken.add(shard)
    }
    return [...taken]
  })
  const selectOwned = (shards: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ id: string }>`select id from shards where node_id = ${id} and id = any(${[...shards]}::text[])`,
      (rows) => rows.map((row) => row.id),
    )

  const storage = RunnerStorage.RunnerStorage.of({
    // The engine builds the ids of its messages from ten bits: the random end of the node's id.
    register: () =>
      persist(
        Effect.as(
          Effect.andThen(node.setDialling(true), tellOthers),
          MachineId.make(Number.parseInt(id.slice(-3), 16) % 1024),
        ),
      ),
    unregister: () => {
      hasLeft = true
      return persist(Effect.andThen(node.setDialling(false), tellOthers))
    },
    // A process that has left needs no runners, and an empty answer would make the engine log a warning.
    getRunners: Effect.suspend(() => waitForNews(seen)).pipe(
      Effect.andThen(selectRunners(sql, node, cell)),
      Effect.tap((rows) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          seen = rows.length
          peers.note(rows, now)
        }),
      ),
      Effect.flatMap((rows) => (hasLeft ? Effect.never : Effect.succeed(rows.map(runnerOf(groupOf(cell.name)))))),
      persist,
    ),
    // The heartbeats in `nodes` decide which runners are healthy.
    setRunnerHealth: () => Effect.void,
    acquire: (_, shards) => persist(shardsOf(acquire(textsOf(shards)))),
    refresh: (_, shards) => persist(shardsOf(selectOwned(textsOf(shards)))),
    release: (_, shard) => persist(sql`delete from shards where node_id = ${id} and id = ${String(shard)}`),
    releaseAll: () => persist(sql`delete from shards where node_id = ${id}`),
  })
  const isOwner = (shard: string) => Effect.orDie(Effect.map(selectOwned([shard]), (owned) => owned.length > 0))
  return { storage, isOwner, peers: () => (hasLeft ? [] : peers.all()) } satisfies Registry
})

/** The registry has its own connections: if its queries waited for a shared one, this process would lose its work. */
const ownConnections = Effect.gen(function* () {
  const { platformDatabase, urlOf } = yield* DatabaseServer
  const own = pool({ url: urlOf(platformDatabase), name: "parley:runners", maxConnections: 2 })
  return Context.get(yield* Layer.build(own), SqlClient.SqlClient)
})

/**
 * The engine asks for the runners continuously. Each answer but the first waits until a runner has joined or left, or
 * until it is time to read the rows again.
 */
const listen = Effect.gen(function* () {
  const { heard } = yield* Notices
  const news = yield* Queue.sliding<void>(1)
  yield* Effect.forkScoped(
    Stream.runForEach(heard, (text) => (text === changed ? Queue.offer(news, undefined) : Effect.void)),
  )
  /** `runners`: how many the last answer had; 0 before the first answer. */
  return (runners: number) => {
    if (runners === 0) return Effect.void
    return Effect.asVoid(Effect.timeoutOption(Queue.take(news), runners === 1 ? readAloneEvery : readEvery))
  }
})

/**
 * The living runners of the cell. A runner that cannot open the account of a due campaign, because the account has the
 * schema of a later release, is unhealthy while another runner can.
 */
const selectRunners = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { liveness }: Node["Service"],
  { isServed, name }: Cell,
) {
  const { hasLostWork } = yield* liveness
  return yield* sql<Peers.Advertisement>`
    with needed as (
      select coalesce(max(a.serves_from), 0) as schema from dialling d join accounts a on a.id = d.account_id
      where d.due_at <= clock_timestamp() and ${isServed(sql)}),
    runners as (
      select nodes.id, nodes.calls, nodes.calls_max, nodes.seen_at::text, nodes.tenant_schema >= needed.schema as is_able
      from nodes, needed
      where nodes.dials and nodes.is_runner and nodes.cell is not distinct from ${name} and not ${hasLostWork})
    select id, calls, calls_max, seen_at, is_able or not exists (select from runners where is_able) as is_healthy
    from runners`
})

const runnerOf =
  (group: string) =>
  ({ id, is_healthy }: Peers.Advertisement) =>
    [Runner.make({ address: addressOf(id), groups: [group], weight: 1 }), is_healthy] as const

/**
 * Makes this node the owner of those `shards` that no other living node owns. Returns those of them that it then owns.
 */
const takeShards = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { id, liveness }: Node["Service"],
  shards: ReadonlyArray<string>,
) {
  const { hasLostWork } = yield* liveness
  const rows = yield* sql<{ id: string }>`
    insert into shards (id, node_id) select shard, ${id} from unnest(${[...shards]}::text[]) shard order by shard
    on conflict (id) do update set node_id = excluded.node_id
    where shards.node_id = excluded.node_id
      or exists (select from nodes where nodes.id = shards.node_id and ${hasLostWork})
    returning id`
  return rows.map((row) => row.id)
})

const textsOf = (shards: Iterable<ShardId.ShardId>) => Array.from(shards, String)
const shardsOf = Effect.map((texts: ReadonlyArray<string>) => texts.map(ShardId.fromString))

const persist = <A, E, R>(effect: Effect.Effect<A, E, R>) => PersistenceError.refail(effect)
