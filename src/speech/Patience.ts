/**
 * Lets a fiber wait for a signal or a time-out, whichever comes first. A call waits a hundred times, and racing two
 * fibers for each wait made most of a call's garbage.
 */
import { Clock, Context, Duration, Effect, Scheduler } from "effect"

export interface Patience {
  /** Gives the signal. The waiting fiber goes on before this returns. */
  readonly end: () => void
  /**
   * Waits for the signal or for this many milliseconds. The function that returns them is called when the wait begins,
   * so that no signal is missed.
   */
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
        // Hundreds may be due in one millisecond, so each resumes in its own tick of the event loop.
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
