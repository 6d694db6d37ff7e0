/** Chromium, driven by tests: the machine's own or that of npm; and axe's findings on a page in it. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Locator, type Page } from "playwright-core"
import * as NpmChromium from "./NpmChromium.ts"

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
)

/** A limit for what hangs: a page that loads in 1 s takes 30 s where ten other processes want the same core. */
const patience = 120_000

/** The page of the OpenID provider's library asks for a font of another server; no name is resolved for it. */
const onThisMachine = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"

/** Why tests in a browser are skipped; undefined where they run. */
export const missing =
  installed === undefined && !NpmChromium.isAvailable
    ? "npm has a Chromium for Linux x64 alone; install the Debian package chromium, or Google Chrome"
    : undefined

export const launch = async (...more: ReadonlyArray<string>): Promise<Browser> => {
  if (installed === undefined) await NpmChromium.unpack()
  return chromium.launch({
    executablePath: installed ?? NpmChromium.executable,
    ...(installed === undefined && { env: { ...process.env, ...NpmChromium.environment } }),
    timeout: patience,
    // Containers give it neither a sandbox of its own nor much shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", onThisMachine, ...more],
  })
}

export interface Look {
  readonly theme: "light" | "dark"
  readonly width: number
  readonly height: number
}

export const desk: Look = { theme: "light", width: 1440, height: 900 }
export const phone: Look = { theme: "light", width: 390, height: 844 }

export const pageOf = async (browser: Browser, { height, theme, width }: Look = desk): Promise<Page> => {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: "en-US",
    timezoneId: "America/New_York",
    acceptDownloads: true,
    reducedMotion: "reduce",
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  await page.addInitScript(writeDown)
  return page
}

/** What the console says in passing, in notices and of its line, stands for 4 s: however slow who reads is, it is kept. */
const writeDown = () => {
  const passing: Array<string> = []
  const known = new WeakMap<Element, string>()
  Object.assign(window, { passing })
  new MutationObserver(() => {
    for (const element of document.querySelectorAll(".Notices-text, .LiveBanner")) {
      const { textContent } = element
      if (known.get(element) === textContent) continue
      known.set(element, textContent)
      passing.push(textContent)
    }
  }).observe(document, { subtree: true, childList: true, characterData: true })
}

/** The next thing said in passing that begins so, since the page was loaded; what was said before it is forgotten. */
export const says = async (page: Page, words: string): Promise<string> => {
  const said = await page.waitForFunction((wanted) => {
    const { passing } = window as never as { passing: Array<string> }
    const at = passing.findIndex((text) => text.startsWith(wanted))
    return at === -1 ? undefined : passing.splice(0, at + 1)[at]
  }, words)
  return said.jsonValue() as Promise<string>
}

/** A dialog that is there, and has the keyboard: what is pressed before goes to the page below. */
export const focused = async (dialog: Locator): Promise<void> => {
  await dialog
    .page()
    .waitForFunction((element) => element?.contains(document.activeElement) === true, await dialog.elementHandle())
}

/** A tab with a signed-in user. */
export const signedIn = async (page: Page, token: string): Promise<void> => {
  await page.addInitScript((value) => {
    // Frames of a page of their own have no storage.
    if (window !== top) return
    localStorage.setItem("parley.session", JSON.stringify({ token: value, expires_at: Date.now() + 3_600_000 }))
  }, token)
}

/** The script of axe, to be run in a page. */
export const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** What axe finds serious or worse, and what breaks a rule of our own choice: rule, how many, the first place. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = window as never as {
      axe: {
        run: (options: object) => Promise<{
          violations: ReadonlyArray<{
            id: string
            impact: string
            nodes: ReadonlyArray<{ html: string; failureSummary: string }>
          }>
        }>
      }
    }
    // Beyond the levels A and AA: everything is within a landmark, each landmark has a name of its own, and a name that
    // people speak to reach a button contains the words that they read on it.
    const more = ["region", "landmark-unique", "landmark-one-main", "label-content-name-mismatch"]
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"],
      rules: Object.fromEntries(more.map((rule) => [rule, { enabled: true }])),
    })
    return violations
      .filter(({ id, impact }) => impact === "serious" || impact === "critical" || more.includes(id))
      .map(
        ({ id, nodes }) =>
          `${id} × ${nodes.length}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary.slice(0, 160)}`,
      )
  })
}
