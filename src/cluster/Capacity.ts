/** The number of calls that this process can conduct, and the load that its heartbeats advertise. */
import { Config, Schema } from "effect"

/**
 * The most calls that this process conducts for campaigns. Incoming calls, and calls placed by a request, count too but
 * are never refused because of it.
 */
export const callsMax = Config.schema(
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 100_000 })),
  "PARLEY_CALLS_PER_PROCESS",
).pipe(Config.withDefault(2_000))

/** What this process's heartbeats advertise. */
export class Advertised {
  /** Whether it takes part in the sharding of work. */
  isDialling = false
  /** Counts its calls; set by the room that conducts them. */
  count = (): number => 0
  /** The number of calls in the last heartbeat. */
  last = 0

  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** The most calls that it conducts for campaigns; 0 while it takes no part in the sharding of work. */
  get calls_max(): number {
    return this.isDialling ? this.most : 0
  }
}
