/**
 * Phone time on a lab call. It runs `LAB_SPEED` times as fast as the clock, and stands still while the party's answer
 * is computed.
 */
import type { Clock } from "effect"

export class LabClock {
  readonly #clock: Clock.Clock
  readonly #speed: number
  readonly #answeredAt: number
  /**
   * The time of the last event. The clock may read a little less, because it counts whole milliseconds before it scales
   * them.
   */
  #reached = 0
  #stoodStillMs = 0
  #stoppedAt: number | null = null

  constructor(clock: Clock.Clock, speed: number) {
    this.#clock = clock
    this.#speed = speed
    this.#answeredAt = clock.currentTimeMillisUnsafe()
  }

  /** Milliseconds since the answer; never less than the time of the last event. */
  now(): number {
    const real = (this.#stoppedAt ?? this.#clock.currentTimeMillisUnsafe()) - this.#answeredAt - this.#stoodStillMs
    return Math.max(this.#reached, Math.round(real * this.#speed))
  }

  /** Sets the clock to the time of an event. */
  reach(at: number): void {
    this.#reached = Math.max(this.#reached, at)
  }

  stop(): void {
    this.#stoppedAt = this.#clock.currentTimeMillisUnsafe()
  }

  start(): void {
    this.#stoodStillMs += this.#clock.currentTimeMillisUnsafe() - (this.#stoppedAt ?? 0)
    this.#stoppedAt = null
  }
}
