/** Splits long work into slices, between which the process serves its other requests. For work outside of fibers. */
import { setImmediate } from "node:timers/promises"

/** Milliseconds. Garbage collection comes on top; an answer to another request waits this long. */
const sliceMs = 4

export class Slices {
  private began = performance.now()

  /** Whether it is time to rest. */
  isOver(): boolean {
    return performance.now() - this.began >= sliceMs
  }

  async rest(): Promise<void> {
    await setImmediate()
    this.began = performance.now()
  }
}
