/** A tab of the console in which the owner of an account of its own is signed in, over the newest build. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import type { Browser } from "playwright-core"
import { launch, pageOf, signedIn } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { makeAccount, signIn } from "./Company.ts"

/** Before the server starts: it reads the build then. */
export const build = (): void => void execFileSync(process.execPath, ["apps/build.ts"])

export const browserOf = Effect.acquireRelease(
  Effect.promise(() => launch()),
  (opened: Browser) => Effect.promise(() => opened.close()),
)

export const tab = (slug: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestServer
    const browser = yield* browserOf
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
