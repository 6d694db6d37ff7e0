/** How many calls this process can carry, and how many it says that it carries. */
import { Config, Schema } from "effect"

/**
 * The most calls that this process conducts for campaigns. A call that comes in, or that a request places, counts, but is
 * never refused for it.
 */
export const callsMax = Config.schema(
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 100_000 })),
  "PARLEY_CALLS_PER_PROCESS",
).pipe(Config.withDefault(2_000))

/** What this process's heartbeats say of it. */
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

  /** The most calls that it conducts: none while it takes no part. */
  get calls_max(): number {
    return this.isDialling ? this.most : 0
  }
}
