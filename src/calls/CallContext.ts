/** What a call's fiber begins with: with every service of the process in it, copies of it were a tenth of a call. */
import { Clock, Context, Random, References, Scheduler, Tracer } from "effect"
import { Brain } from "../brain/Brain.ts"
import { Telephony } from "../telephony/Telephony.ts"

const picked = Context.pick(
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

/** With its type said: it would be unknown what whoever begins a call has to have. */
export const ofACall = (context: Context.Context<Telephony | Brain>): Context.Context<Telephony | Brain> =>
  picked(context)
