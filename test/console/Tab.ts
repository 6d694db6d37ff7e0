/** A tab of the console in which the owner of an account of its own is signed in, over the newest build. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Browser } from "playwright-core"
import { launch, pageOf, signedIn } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { makeAccount, signIn } from "./Company.ts"

/** Before the server starts: it reads the build then. */
export const build = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, ["apps/build.ts"])
}

/** Only what hangs is ended by these; calm, a build takes 6 s, a server 3 and a story 10. */
export const buildWithin = 300_000
export const served = { timeout: "180 seconds", excludeTestServices: true } as const
export const storyWithin = 300_000

/** An account that no earlier run of the same story has left something in. */
export const ownSlug = (story: string): string => `${story}-${crypto.randomUUID().slice(0, 8)}`

/** Its microphone beeps, and is allowed. */
const microphone = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]

export const browserOf = Effect.acquireRelease(
  Effect.promise(() => launch(...microphone)),
  (opened: Browser) => Effect.promise(() => opened.close()),
)

export const tab = Effect.gen(function* () {
  const { url } = yield* TestServer
  const browser = yield* browserOf
  const slug = ownSlug("story")
  return yield* Effect.promise(async () => {
    await makeAccount(url, slug, { name: "Harbor Dental", time_zone: "America/New_York" })
    const parley = await signIn(url, slug)
    const page = await pageOf(browser)
    await signedIn(page, parley.token)
    const faults: Array<string> = []
    page.on("pageerror", (error) => faults.push(error.message))
    return { base: `${url}/console/${slug}`, faults, page, parley }
  })
})
