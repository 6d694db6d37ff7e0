/**
 * A browser tab that measures what a page does to its user: how long the main thread is held, which frames are dropped,
 * and the cost.
 */
import type { BrowserContext, Page } from "playwright-core"

export interface Seen {
  readonly seconds: number
  /** The longest tasks of the main thread in milliseconds. Tasks below 50 ms are not reported. */
  readonly tasks: ReadonlyArray<number>
  /** The longest time between two frames, in milliseconds. */
  readonly gap: number
  /** The share of frames that were missing, at 60 a second. */
  readonly dropped: number
  /** The share of the main thread's time that was busy. */
  readonly busy: number
  readonly script: number
}

export interface Tab {
  readonly page: Page
  /** Runs `doing` and returns what was measured meanwhile. */
  readonly watch: (doing: () => Promise<void>) => Promise<Seen>
  /** The bytes of its heap after a collection. */
  readonly heap: () => Promise<number>
  /** Milliseconds from the last press of a key or button, or turn of the wheel, to the frame that shows its effect. */
  readonly answered: (sight: Sight) => Promise<number>
}

/** What a page shows, by selectors: what is there and what is gone, and the URL's query. */
interface Sight {
  readonly there: string
  readonly gone?: string
  readonly search?: string
}

const frame = 1000 / 60

interface Recorder {
  tasks: Array<number>
  frames: Array<number>
  pressed: number
}

export const open = async (context: BrowserContext): Promise<Tab> => {
  const page = await context.newPage()
  const browser = await context.newCDPSession(page)
  await browser.send("Performance.enable")
  await page.addInitScript(record)

  const costs = async () => {
    const { metrics } = await browser.send("Performance.getMetrics")
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0
    return { task: of("TaskDuration"), script: of("ScriptDuration"), at: of("Timestamp") }
  }
  const watch = async (doing: () => Promise<void>): Promise<Seen> => {
    await page.evaluate(() => {
      const { benchTab } = window as never as { benchTab: Recorder }
      benchTab.tasks = []
      benchTab.frames = [performance.now()]
    })
    const before = await costs()
    await doing()
    const after = await costs()
    const { frames, tasks } = await page.evaluate(() => (window as never as { benchTab: Recorder }).benchTab)
    const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at))
    const seconds = after.at - before.at
    return {
      seconds,
      tasks: tasks.toSorted((a, b) => b - a),
      gap: Math.max(...gaps),
      dropped:
        gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frame) - 1), 0) / ((seconds * 1000) / frame),
      busy: (after.task - before.task) / seconds,
      script: (after.script - before.script) / seconds,
    }
  }
  const heap = async () => {
    await browser.send("HeapProfiler.collectGarbage")
    const { metrics } = await browser.send("Performance.getMetrics")
    return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0
  }
  const answered = async ({ gone = "[aria-busy=true]", search = "", there }: Sight) => {
    const found = await page.waitForFunction(
      (wanted) => {
        const isSo =
          location.search.includes(wanted.search) &&
          document.querySelector(wanted.there) !== null &&
          document.querySelector(wanted.gone) === null
        const { pressed } = (window as never as { benchTab: Recorder }).benchTab
        return isSo && { after: performance.now() - pressed }
      },
      { gone, search, there },
      { polling: "raf" },
    )
    return ((await found.jsonValue()) as { readonly after: number }).after
  }
  return { page, watch, heap, answered }
}

/** Runs in the page before the page's own script. */
const record = () => {
  const recorder: Recorder = { tasks: [], frames: [], pressed: 0 }
  Object.assign(window, { benchTab: recorder })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) recorder.tasks.push(duration)
  }).observe({ type: "longtask", buffered: true })
  const frame = (at: number) => {
    recorder.frames.push(at)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  for (const type of ["keydown", "pointerdown", "wheel"]) {
    addEventListener(type, ({ timeStamp }) => (recorder.pressed = timeStamp), { capture: true, passive: true })
  }
}
