/**
 * The engine that decides which process does which work, and the one door to it (`effect/cluster`, decision 0062). Each
 * piece of work has an id, which hashes to a shard; each shard has one owner. If a process joins, leaves or dies,
 * shards change their owner, and the fibers of their work stop in one process and start in another. The engine only
 * places work. The transactions and epochs of the accounts' databases ensure that nothing is done twice.
 */
import { Context, Effect, Exit, Layer, Option, type Queue, Scope, Semaphore } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import { Cell } from "../tenancy/Cell.ts"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
import * as Gains from "./Gains.ts"
import { Node } from "./Node.ts"
import type { Peer } from "./Peers.ts"
import * as RunnerRows from "./RunnerRows.ts"
import * as Work from "./Work.ts"

const timing = {
  // Short, because each answer of the registry itself waits for a change (RunnerRows).
  refreshAssignmentsInterval: "10 millis",
  /** How often a process tries to acquire those of its shards that it does not own yet. */
  entityMessagePollInterval: "300 millis",
  /**
   * How often a process asks the registry which shards it still owns. If the registry does not answer within this time,
   * the process stops all work that it owns: soon the others count it as dead.
   */
  shardLockRefreshInterval: "2 seconds",
  shardLockExpiration: "6 seconds",
  /**
   * How long work that moves may take to stop. The engine then no longer waits for it, and its epoch keeps it from
   * writing.
   */
  entityTerminationTimeout: "300 millis",
  // All messages are to work of this process.
  simulateRemoteSerialization: false,
  maxResidentEntities: "unbounded",
} as const

/** A kind of work. */
export interface Kind {
  /** Starts the work with this id, unless it runs already, or another process owns it. */
  readonly wake: (id: string) => Effect.Effect<void>
}

export class Cluster extends Context.Service<
  Cluster,
  {
    /**
     * Declares a kind of work, before this process joins. `run` does the work with an id, in the process that owns it;
     * when it returns, the work waits until it is woken again. It is interrupted when the work moves.
     */
    readonly declare: (name: string, run: (id: string) => Effect.Effect<void>) => Effect.Effect<Kind>
    /** Lets this process own work from now on. */
    readonly join: Effect.Effect<void>
    /** Stops all work that this process owns, for good, and lets other processes take it at once. */
    readonly leave: Effect.Effect<void>
    /** Whether this process owns the work with this id, as far as it knows. */
    readonly owns: (id: string) => boolean
    /** Asks the registry whether this process owns the work with this id. */
    readonly confirm: (id: string) => Effect.Effect<boolean>
    /** The other living processes that take part, with what they advertise. */
    readonly peers: () => ReadonlyArray<Peer>
    /** A queue of signals that this process owns more work than before. Signals that were not taken yet count as one. */
    readonly gains: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>()("cluster/Cluster") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const node = yield* Node
      const group = RunnerRows.groupOf((yield* Cell).name)
      const { folder } = yield* DatabaseServer
      // Only one process can hold the embedded server's folder.
      const registry = yield* folder === null ? RunnerRows.make : inMemory
      const gains = Gains.make()
      const engine = engineOver(gains.signalGains(registry.storage), RunnerRows.addressOf(node.id), group)
      const scope = yield* Scope.fork(yield* Effect.scope)
      const withLock = Semaphore.makeUnsafe(1).withPermits(1)
      const kinds: Array<Layer.Layer<never, never, Sharding.Sharding>> = []
      let sharding: Sharding.Sharding["Service"] | undefined
      let hasLeft = false

      /** The engine, and the shard of the work with this id; undefined if this process does not own it. */
      const own = (id: string) => {
        const shard = sharding?.getShardId(EntityId.make(id), group)
        return sharding !== undefined && shard !== undefined && sharding.hasShardId(shard)
          ? { sharding, shard: String(shard) }
          : undefined
      }

      return {
        declare: (name, run) =>
          Effect.sync(() => {
            const work = Work.make(name, run, group)
            kinds.push(work.layer)
            return {
              wake: (id) =>
                Effect.suspend(() => {
                  const owned = own(id)
                  return owned === undefined ? Effect.void : work.wake(id, owned.sharding)
                }),
            }
          }),
        join: withLock(
          Effect.gen(function* () {
            if (sharding !== undefined || hasLeft) return
            const all = Layer.mergeAll(Layer.empty, ...kinds).pipe(Layer.provideMerge(engine))
            sharding = Context.get(yield* Layer.buildWithScope(Layer.fresh(all), scope), Sharding.Sharding)
          }),
        ),
        leave: withLock(
          Effect.suspend(() => {
            sharding = undefined
            hasLeft = true
            return Scope.close(scope, Exit.void)
          }),
        ),
        owns: (id) => own(id) !== undefined,
        confirm: (id) =>
          Effect.suspend(() => {
            const owned = own(id)
            return owned === undefined ? Effect.succeed(false) : registry.isOwner(owned.shard)
          }),
        peers: registry.peers,
        gains: gains.signals,
      }
    }),
  )
}

const engineOver = (
  storage: RunnerStorage.RunnerStorage["Service"],
  address: ReturnType<typeof RunnerRows.addressOf>,
  group: string,
) =>
  Sharding.layer.pipe(
    Layer.provide(Runners.layerNoop),
    Layer.provide([MessageStorage.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(Layer.succeed(RunnerStorage.RunnerStorage, storage)),
    Layer.provide(
      ShardingConfig.layer({
        ...timing,
        runnerAddress: Option.some(address),
        availableShardGroups: [group],
        assignedShardGroups: [group],
      }),
    ),
  )

/**
 * The registry of a process that is alone. The engine asks for the runners continuously. From the third answer on, when
 * this process is among them, each answer is delayed by two seconds.
 */
const inMemory: Effect.Effect<RunnerRows.Registry> = Effect.map(RunnerStorage.makeMemory, (memory) => {
  let answers = 0
  const getRunners = Effect.suspend(() => Effect.delay(memory.getRunners, ++answers < 3 ? 0 : "2 seconds"))
  return { storage: { ...memory, getRunners }, isOwner: () => Effect.succeed(true), peers: () => [] }
})
