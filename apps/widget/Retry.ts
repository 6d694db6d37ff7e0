/** When the widget connects again after it has lost its server: at once, or after a pause that grows. */
const firstPause = 500
const longestPause = 15_000

export class Retry {
  /** Attempts in a row that led to no conversation. */
  failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * Plans the next attempt. `atOnce`: without a pause, because the server gave the conversation to another process. Only
   * the first attempt has no pause: if the same process answers again, the page must not press it.
   */
  plan(connect: () => void, atOnce: boolean): void {
    const failures = this.failures++
    if (atOnce && failures === 0) return connect()
    const pause = Math.min(longestPause, firstPause * 2 ** failures) * (0.5 + Math.random() / 2)
    this.#timer = setTimeout(connect, pause)
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }
}
