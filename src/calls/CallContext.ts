/**
 * The services that a call's fiber begins with: copying a context of all the process's services was a tenth of a call's
 * cost.
 */
import { Clock, Context, Random, References, Scheduler, Tracer } from "effect"
import { Brain } from "../brain/Brain.ts"
import { Telephony } from "../telephony/Telephony.ts"

const pick = Context.pick(
  Telephony,
  Brain,
  Clock.Clock,
  Random.Random,
  Scheduler.Scheduler,
  References.CurrentLoggers,
  References.MinimumLogLevel,
  References.TracerEnabled,
  Tracer.Tracer,
)

/** Annotated explicitly, so that the services a call needs stay visible in its type. */
export const pickForCall = (context: Context.Context<Telephony | Brain>): Context.Context<Telephony | Brain> =>
  pick(context)
