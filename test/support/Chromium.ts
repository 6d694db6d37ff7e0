/** Chromium for tests, either the machine's own or that of npm, and axe's findings on a page. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Locator, type Page } from "playwright-core"
import * as NpmChromium from "./NpmChromium.ts"

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
)

/**
 * Milliseconds after which a page counts as hung. A page that loads in 1 s may take 30 s while ten processes compete
 * for a core.
 */
const patience = 120_000

/** Resolves no other host: the OpenID provider's page requests a font from another server. */
const onThisMachine = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"

/** Why tests in a browser are skipped. Undefined if they run. */
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
    // In a container Chromium has neither its own sandbox nor much shared memory.
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

/**
 * Keeps the texts of notices and of the live banner, since the page shows them for only 4 s and a test may look later.
 */
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

/** Waits for the next kept text that begins with `words`, and returns it. Earlier texts are dropped. */
export const says = async (page: Page, words: string): Promise<string> => {
  const said = await page.waitForFunction((wanted) => {
    const { passing } = window as never as { passing: Array<string> }
    const at = passing.findIndex((text) => text.startsWith(wanted))
    return at === -1 ? undefined : passing.splice(0, at + 1)[at]
  }, words)
  return said.jsonValue() as Promise<string>
}

/** Waits until the dialog has the focus. Keys that are pressed earlier go to the page below. */
export const focused = async (dialog: Locator): Promise<void> => {
  await dialog
    .page()
    .waitForFunction((element) => element?.contains(document.activeElement) === true, await dialog.elementHandle())
}

/** Signs a user in on every page of the tab. */
export const signedIn = async (page: Page, token: string): Promise<void> => {
  await page.addInitScript((value) => {
    // Frames have no storage.
    if (window !== top) return
    localStorage.setItem("parley.session", JSON.stringify({ token: value, expires_at: Date.now() + 3_600_000 }))
  }, token)
}

/** The script of axe, to run in a page. */
export const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** Serious and critical findings of axe, and every breach of the rules in `more`: rule, count and first place. */
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
    // Rules beyond the levels A and AA: all content is in a landmark, each landmark has its own name, and a button's
    // accessible name contains the words on it, so that users of speech input can say them.
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
