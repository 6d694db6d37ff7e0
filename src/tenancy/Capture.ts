/** Services that a layer takes once, for the functions of its module that require them. */
import { Context, Effect } from "effect"

/**
 * Returns a function that provides these services, as they are now, to any effect. It provides nothing else of the
 * surrounding context: a method of a service must not get the transaction or the annotations of the fiber that built
 * its layer.
 */
export const capture = <Keys extends ReadonlyArray<Context.Key<unknown, unknown>>>(...keys: Keys) =>
  Effect.map(Effect.context<Context.Service.Identifier<Keys[number]>>(), (context) =>
    Effect.provideContext(Context.pick(...keys)(context)),
  )
