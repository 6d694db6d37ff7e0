/**
 * What a fiber of a call waits with: for a word, or until a time, whichever comes first. A call does it a hundred times;
 * as a race of two fibers it was most of a talk's garbage.
 */
import { Clock, Context, Duration, Effect, Scheduler } from "effect"

export interface Patience {
  /** The word: who waits goes on before this returns. */
  readonly end: () => void
  /** For so many milliseconds, asked in the moment in which the wait begins: no word falls between. */
  readonly wait: (milliseconds: () => number) => Effect.Effect<void>
}

const timing = Context.pick(Clock.Clock, Scheduler.Scheduler)

export const make = Effect.contextWith((context: Context.Context<never>): Effect.Effect<Patience> => {
  const clock = Context.get(context, Clock.Clock)
  const run = Effect.runForkWith(timing(context))
  let end = () => {}
  return Effect.succeed({
    end: () => end(),
    wait: (milliseconds) =>
      Effect.callback((resume) => {
        const goOn = (how: Effect.Effect<void>) => {
          end = () => {}
          resume(how)
        }
        const limit = milliseconds()
        if (limit <= 0) return goOn(Effect.void)
        // Hundreds may be due in one millisecond: each goes on in its turn.
        const due = Effect.sync(() => goOn(Effect.yieldNow))
        const timer = Number.isFinite(limit) ? run(Effect.andThen(clock.sleep(Duration.millis(limit)), due)) : undefined
        end = () => {
          goOn(Effect.void)
          timer?.interruptUnsafe()
        }
        return Effect.sync(() => {
          end = () => {}
          timer?.interruptUnsafe()
        })
      }),
  })
})
