/**
 * The drain before the process exits: no new work, streams end, and calls in progress get their time (decisions §6,
 * DRAIN_SECONDS).
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Draining extends Context.Service<
  Draining,
  {
    readonly begin: Effect.Effect<void>
    readonly begun: Effect.Effect<void>
    readonly isDraining: Effect.Effect<boolean>
  }
>()("http/Draining") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Deferred.make<void>(), (begun) => ({
      begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
      begun: Deferred.await(begun),
      isDraining: Deferred.isDone(begun),
    })),
  )
}
