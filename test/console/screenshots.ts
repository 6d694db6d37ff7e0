/**
 * Pictures of the console's pages with data of a real run in the lab, in both themes and on a phone:
 *
 *     node test/console/screenshots.ts [FOLDER [PAGE…]]      docs/screenshots and every page if left out
 *
 * It takes some minutes: calls have to be made before they can be shown. PARLEY_URL takes a server that is there.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { desk, launch, pageOf, phone, signedIn } from "../support/Chromium.ts"
import { adminToken, makeCompany, signIn, untilEnded } from "./Company.ts"
import { pagesOf } from "./Pages.ts"

const [folder = "docs/screenshots", ...chosen] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const serve = async () => {
  execFileSync(process.execPath, ["apps/build.ts"], { stdio: "inherit" })
  const data = mkdtempSync(join(tmpdir(), "parley-pictures-"))
  const server = spawn(process.execPath, ["src/main.ts"], {
    env: { PATH: process.env["PATH"], PORT: "0", PARLEY_DATA_DIR: data, LAB_SPEED: "4", DRAIN_SECONDS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.on("data", (chunk: Buffer) => {
      const [, found] = /Parley is ready at (http:[^\s"]+)/.exec(chunk.toString()) ?? []
      if (found !== undefined) resolve(found)
    })
    server.once("exit", () => reject(new Error("The server did not start")))
  })
  const stop = async () => {
    const over = new Promise((resolve) => server.once("exit", resolve))
    server.kill("SIGTERM")
    await over
    rmSync(data, { recursive: true, force: true })
  }
  return { url, stop }
}

const known = process.env["PARLEY_URL"]
const { stop, url } = known === undefined ? await serve() : { url: known, stop: async () => {} }
const browser = await launch()
try {
  const account = "harbor-dental"
  const { campaigns } = known === undefined ? await makeCompany(url) : { campaigns: {} as Record<string, string> }
  const parley = await signIn(url, account)
  const { items } = await parley.send("GET", "/api/v1/campaigns?page_size=100")
  const live =
    campaigns["November hygiene recall"] ?? items.find(({ status }: { status: string }) => status === "running")?.id
  const draft = campaigns["Retainer survey"] ?? items.find(({ status }: { status: string }) => status === "draft")?.id
  await untilEnded(parley, live, 60)
  const contacts = await parley.send("GET", `/api/v1/campaigns/${live}/contacts?outcome=no_answer`)
  const talks = await parley.send("GET", `/api/v1/calls?campaign_id=${live}&status=completed&page_size=100`)
  const [longest] = talks.items.toSorted(
    (one: { duration_seconds: number }, other: { duration_seconds: number }) =>
      other.duration_seconds - one.duration_seconds,
  )
  const all = pagesOf({
    url,
    account,
    agent: "Nora",
    tool: "estimate_copay",
    live,
    draft,
    contact: contacts.items[0].id,
    call: longest.id,
  })
  const pages = all.filter(([name]) => chosen.length === 0 || chosen.includes(name))
  /** The pages that operators open on their way. */
  const onPhones = pages.filter(([name]) => name === "04-campaign-live" || name === "06-call")
  const looks = [
    { suffix: "light", look: desk, shown: pages },
    { suffix: "dark", look: { ...desk, theme: "dark" }, shown: pages },
    { suffix: "mobile-light", look: phone, shown: onPhones },
    { suffix: "mobile-dark", look: { ...phone, theme: "dark" }, shown: onPhones },
  ] as const
  for (const { look, shown, suffix } of looks) {
    const page = await pageOf(browser, look)
    await signedIn(page, parley.token)
    for (const [name, path] of shown) {
      if (name === "admin-accounts") await signedIn(page, await adminToken(url))
      await page.goto(path)
      // Until what is live has come, and been drawn.
      await sleep(2_500)
      await page.screenshot({ path: join(folder, `${name}-${suffix}.png`) })
    }
    await page.context().close()
  }
} finally {
  await browser.close()
  await stop()
}
