/**
 * The console in headless Chromium on its own server: how long a first load takes until the page can be used; whether
 * the contacts of the longest list scroll and filter without a stall; whether a stream of live updates makes the page
 * stutter.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import type { Browser, BrowserContext } from "playwright-core"
import { launch, missing } from "../support/Chromium.ts"
import { repository } from "./support/Child.ts"
import { csvOf, listOptions, rowsOf } from "./support/Csv.ts"
import * as Dialling from "./support/Dialling.ts"
import { kilobytes, megabytes, median, ms, percent, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"
import * as Tab from "./support/Tab.ts"

const account = "bench"

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      ...listOptions,
      seconds: { type: "string", default: "10" },
      slots: { type: "string", default: "20" },
      speed: { type: "string", default: "10" },
    },
  })
  if (missing !== undefined) throw new Error(missing)
  execFileSync(process.execPath, [join(repository, "apps/build.ts")])
  const rows = rowsOf(Number(values.rows))
  const postgres = await Postgres.start()
  const parley = await Parley.start(postgres, { env: { LAB_SPEED: values.speed } })
  const owner = await parley.account(account, {
    concurrent_max: 1_000,
    calls_per_minute: 100_000,
    calls_per_day: 100_000,
  })
  const settings = { name: "All customers", max_concurrent_calls: values.slots, ...(await Dialling.prepare(owner)) }
  const { id } = await owner.request("POST", "/api/v1/campaigns", Dialling.form(settings, csvOf(rows)))
  const operate = (operation: string) => owner.request("POST", `/api/v1/campaigns/${id}/${operation}`)
  const browser = await launch()
  process.on("exit", () => void browser.close())
  const token = await parley.signIn({ email: "owner@example.com", account })
  const place: Place = { browser, token, home: `${parley.url}/console/${account}`, id }

  await operate("start")
  heading(`The console: first visits and later ones, ${values.rounds} each, of an account with a running campaign`)
  table(
    ["page", "asked", "interactive, median", "slowest", "painted", "script, gzipped", "layout shift"],
    await load(place, Number(values.rounds)),
  )
  note(
    "Interactive is when the page's figures are painted and no task of 50 ms or more follows for half a second; counted from the request for the page.",
  )
  heading(`A live campaign, ${values.slots} slots, ${values.seconds} s`)
  table(["what", "asked", "measured"], await follow(place, Number(values.seconds)))

  await operate("pause")
  while ((await owner.request("GET", `/api/v1/campaigns/${id}`)).counts.in_progress > 0) await sleep(200)
  const { counts } = await owner.request("GET", `/api/v1/campaigns/${id}`)
  heading(`Contacts of a campaign with ${whole(rows.length)}`)
  table(
    ["act", "answered", "longest task (asked: 100 ms)", "longest gap of frames", "frames dropped", "busy"],
    await browse(place, rows, counts.completed),
  )
  note("60 frames a second are one in 16.7 ms. Busy is of the page's main thread, by the browser's own count.")
  machine()
  await browser.close()
  await parley.stop()
  await postgres.stop()
}

interface Place {
  readonly browser: Browser
  readonly token: string
  readonly home: string
  readonly id: string
}

const signedIn = async ({ browser, token }: Place): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(
    (value) =>
      localStorage.setItem("parley.session", JSON.stringify({ token: value, expires_at: Date.now() + 3_600_000 })),
    token,
  )
  return context
}

interface Load {
  readonly interactive: number
  readonly painted: number
  readonly script: number
  readonly shift: number
}

const load = async (place: Place, rounds: number) => {
  const pages = [
    { word: "overview", url: place.home, shown: ".Running-figure" },
    { word: "live campaign", url: `${place.home}/campaigns/${place.id}`, shown: ".Progress-figures .figure" },
  ]
  const found: Array<ReadonlyArray<string>> = []
  for (const { shown, url, word } of pages) {
    const first: Array<Load> = []
    const later: Array<Load> = []
    for (let round = 0; round < rounds; round++) {
      const context = await signedIn(place)
      first.push(await visit(context, url, shown))
      later.push(await visit(context, url, shown))
      await context.close()
    }
    for (const [when, loads] of Object.entries({ first, later })) {
      const of = (field: keyof Load) => loads.map((load) => load[field])
      found.push([
        `${word}, ${when} visit`,
        "1,500 ms, 300 KB",
        ms(median(of("interactive"))),
        ms(Math.max(...of("interactive"))),
        ms(median(of("painted"))),
        kilobytes(median(of("script"))),
        Math.max(...of("shift")).toFixed(3),
      ])
    }
  }
  return found
}

const visit = async (context: BrowserContext, url: string, shown: string): Promise<Load> => {
  const { page } = await Tab.open(context)
  await page.goto(url, { waitUntil: "commit" })
  const found = await page.evaluate(async (selector) => {
    const quietFor = 500
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    while (document.querySelector(selector) === null) await frame()
    await frame()
    const painted = performance.now()
    let quietSince = painted
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) quietSince = Math.max(quietSince, startTime + duration)
    }).observe({ type: "longtask", buffered: true })
    while (performance.now() - quietSince < quietFor) await frame()
    let shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as never as { readonly value: number }).value
    }).observe({ type: "layout-shift", buffered: true })
    await frame()
    const scripts = performance.getEntriesByType("resource").flatMap(({ name }) => (name.endsWith(".js") ? [name] : []))
    return { painted, interactive: quietSince, shift, scripts }
  }, shown)
  await page.close()
  const files = found.scripts.map((script) => new URL(script).pathname.slice("/console/".length))
  const script = files.reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(repository, "dist/console", file))).length,
    0,
  )
  return { ...found, script }
}

const longest = ({ tasks }: Tab.Seen) => (tasks[0] === undefined ? "below 50 ms" : ms(tasks[0]))

/** Turns of the wheel over thirty pages of a hundred contacts. */
const wheelTurns = 120
const wheelPixels = 850

const browse = async (place: Place, rows: ReturnType<typeof rowsOf>, completed: number) => {
  const context = await signedIn(place)
  const tab = await Tab.open(context)
  const { page } = tab
  const found: Array<ReadonlyArray<string>> = []
  const act = async (word: string, doing: () => Promise<number>) => {
    let answered = 0
    const seen = await tab.watch(async () => void (answered = await doing()))
    found.push([word, ms(answered), longest(seen), ms(seen.gap), percent(seen.dropped), percent(seen.busy)])
  }
  const text = "8881"
  const fits = rows.filter(({ fields, phone_number }) =>
    [phone_number, ...Object.values(fields)].some((value) => value.includes(text)),
  ).length
  const counted = (total: number) => `[role=table][aria-rowcount="${total + 1}"]`

  await page.goto(`${place.home}/campaigns/${place.id}`)
  await page.getByRole("link", { name: /^Contacts/ }).waitFor()
  await act("open the contacts", async () => {
    await page.getByRole("link", { name: /^Contacts/ }).click()
    return tab.answered({ there: '[aria-rowindex="2"]' })
  })
  await act(`scroll through ${whole((wheelTurns * wheelPixels) / 34)} rows`, async () => {
    await page.mouse.move(700, 600)
    for (let turn = 0; turn < wheelTurns; turn++) {
      await page.mouse.wheel(0, wheelPixels)
      await sleep(30)
    }
    return tab.answered({ there: "[aria-rowindex]" })
  })
  await act(`jump to row ${whole(rows.length)}`, async () => {
    await page.keyboard.press("End")
    return tab.answered({ there: `[aria-rowindex="${rows.length + 1}"]` })
  })
  await act(`type ${text}, ${fits} fit`, async () => {
    await page.keyboard.press("/")
    await page.keyboard.type(text, { delay: 80 })
    return tab.answered({ there: counted(fits), search: text })
  })
  await page.getByRole("searchbox").fill("")
  await tab.answered({ there: counted(rows.length) })
  await act(`status: completed, ${whole(completed)}`, async () => {
    await page.getByRole("button", { name: /Status/ }).click()
    await page.getByRole("option", { name: "completed" }).click()
    return tab.answered({ there: counted(completed), search: "completed" })
  })
  await act("status: all again", async () => {
    await page.getByRole("button", { name: /Status/ }).click()
    await page.getByRole("option", { name: "all", exact: true }).click()
    return tab.answered({ there: counted(rows.length) })
  })
  await context.close()
  return found
}

const follow = async (place: Place, seconds: number) => {
  const context = await signedIn(place)
  const tab = await Tab.open(context)
  const browser = await context.newCDPSession(tab.page)
  await browser.send("Network.enable")
  let updates = 0
  browser.on("Network.webSocketFrameReceived", () => updates++)
  await tab.page.goto(`${place.home}/campaigns/${place.id}`)
  await tab.page.locator(".CallsNow-words").nth(4).waitFor()
  const before = await tab.heap()
  updates = 0
  const seen = await tab.watch(() => sleep(seconds * 1_000))
  const perSecond = updates / seen.seconds
  const after = await tab.heap()
  await context.close()
  return [
    ["updates a second", "50", perSecond.toFixed(0)],
    ["longest task", "50 ms", longest(seen)],
    ["longest gap of frames", "33 ms", ms(seen.gap)],
    ["frames dropped", "", percent(seen.dropped)],
    ["main thread busy, script of it", "", `${percent(seen.busy)}, ${percent(seen.script)}`],
    ["heap before and after", "", `${megabytes(before)}, ${megabytes(after)}`],
  ]
}
