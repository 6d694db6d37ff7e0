/** Checks whether Parley can write, read and delete in the object store of recordings, with the keys that it has. */
import { Effect, Layer } from "effect"
import { ObjectStore } from "../recording/ObjectStore.ts"
import { type Finding, failure, ok } from "./Finding.ts"

const check = "recordings in S3"

/** Returns no finding if recordings stay on disk. */
export const run = Effect.gen(function* () {
  const objects = yield* ObjectStore
  if (objects === null) return []
  yield* objects.check
  return [ok(check, `${objects.place} takes, returns and deletes what Parley writes.`)]
}).pipe(
  Effect.provide(Layer.fresh(ObjectStore.layer)),
  Effect.catch(({ message }) => Effect.succeed<ReadonlyArray<Finding>>([failure(check, message)])),
)
