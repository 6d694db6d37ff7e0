/** The sign-in at a real OpenID provider in a real browser: the account, there and back, and what is refused on the way. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { missing, pageOf } from "../support/Chromium.ts"
import * as OidcProvider from "../support/OidcProvider.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { browserOf, build, buildWithin, served as within, storyWithin } from "./Tab.ts"

const account = "harbor-dental"
const people = {
  dana: { email: "dana@harbordental.example", email_verified: true, name: "Dana", accounts: [account] },
  erik: { email: "erik@elsewhere.example", email_verified: true, name: "Erik", accounts: ["elsewhere"] },
}

class Provider extends Context.Service<Provider, OidcProvider.OidcProvider>()("test/Provider") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.promise(() => OidcProvider.start(people, { exchangesElsewhere: true })),
      (provider) => Effect.sync(provider.close),
    ),
  )
}

const served = Layer.unwrap(
  Effect.map(Provider, ({ url }) => TestServer.layerWith({ OIDC_ISSUER: url, OIDC_AUDIENCE: "parley" })),
).pipe(Layer.provideMerge(Provider.layer))

/** A tab of a user who is not signed in at the provider either. */
const newTab = Effect.gen(function* () {
  const { ownerOf, request, url } = yield* TestServer
  const provider = yield* Provider
  provider.returnsTo(`${url}/console/signed-in`)
  const browser = yield* browserOf
  yield* Effect.promise(() => ownerOf(account, { name: "Harbor Dental", discoverable: true }))
  // A page that is served before the server knows where codes are exchanged may exchange none.
  const policy = async () => (await request("GET", "/console/")).headers.get("content-security-policy") ?? ""
  yield* Effect.promise(() => until(async () => /connect-src 'self' http\S+ http/.test(await policy())))
  const page = yield* Effect.promise(() => pageOf(browser))
  const faults: Array<string> = []
  // The console's own, and not those of the provider's page.
  page.on("console", (message) => {
    if (message.type() === "error" && message.location().url.startsWith(url)) faults.push(message.text())
  })
  const asked: Array<URL> = []
  page.on("request", (request) => asked.push(new URL(request.url())))
  return { asked, faults, page, provider: provider.url, home: `${url}/console/${account}`, root: `${url}/console` }
})

const leave = (page: Page) => page.getByRole("button", { name: "Continue with 127.0.0.1" }).click()

/** The provider's own page. */
const signIn = async (page: Page, person: string) => {
  await page.locator("input[name=login]").fill(person)
  await page.locator("input[name=password]").fill("any")
  await page.locator("button[type=submit]").click()
}

/** The first request for a sign-in carries another value than the tab asked with. */
const swap = (page: Page, name: string) =>
  page.route(
    /\/auth\?/,
    (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set(name, "another")
      return route.continue({ url: url.href })
    },
    { times: 1 },
  )

/** By its place in the crumbs: a heading says more than the name as soon as there is more to say. */
const opens = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Breadcrumb" }).getByText(name, { exact: true }).waitFor()

const refused = (page: Page) => page.getByRole("heading", { name: "You are not signed in" }).waitFor()

beforeAll(build, buildWithin)

describe.skipIf(missing !== undefined)("signing in at the organisation's provider", () => {
  it.layer(
    served,
    within,
  )((it) => {
    const test = (name: string, run: (tab: Effect.Success<typeof newTab>) => Promise<void>) =>
      it.effect(name, () => Effect.scoped(Effect.flatMap(newTab, (tab) => Effect.promise(() => run(tab)))), storyWithin)

    test("finds the account, leaves with PKCE and comes back to where one was", async ({
      asked,
      faults,
      home,
      page,
    }) => {
      await page.goto(`${home}/campaigns?status=paused`)
      await page.getByText("Harbor Dental").first().waitFor()
      assert.strictEqual(await page.getByLabel("Account").inputValue(), account)
      await page.getByLabel("Account").fill("harbor-dentl")
      await page.getByText("There is no account harbor-dentl.").waitFor()
      await page.getByLabel("Account").fill(account)
      await leave(page)
      await signIn(page, "dana")
      await opens(page, "Campaigns")
      assert.match(page.url(), /\/harbor-dental\/campaigns\?status=paused$/)
      const authorization = asked.find(({ pathname }) => pathname === "/auth")
      assert.strictEqual(authorization?.searchParams.get("response_type"), "code")
      assert.strictEqual(authorization?.searchParams.get("code_challenge_method"), "S256")
      assert.isAbove(authorization?.searchParams.get("state")?.length ?? 0, 20)
      assert.isAbove(authorization?.searchParams.get("nonce")?.length ?? 0, 20)
      // The policy of the page lets codes be exchanged where the issuer says, on another origin than its own.
      const exchange = asked.find(({ pathname }) => pathname === "/token")
      assert.notStrictEqual(exchange?.origin, authorization?.origin)
      assert.deepStrictEqual(faults, [])
    })

    test("leads an ended login back to the page, the filter and the second", async ({ home, page }) => {
      const place = `${home}/calls?direction=inbound&from=2026-11-01`
      await page.goto(place)
      await leave(page)
      await signIn(page, "dana")
      await opens(page, "Calls")
      for (const ended of [{ expires_at: 0 }, { token: "no.longer.good" }]) {
        // What the tab keeps has run out, or the server no longer believes it.
        await page.evaluate((change) => {
          const kept = JSON.parse(localStorage.getItem("parley.session") ?? "{}")
          localStorage.setItem("parley.session", JSON.stringify({ ...kept, ...change }))
        }, ended)
        await page.reload()
        await page.getByText("Your session ended. You’ll return to Calls.").waitFor()
        // The provider still knows them and asks nothing.
        await leave(page)
        await opens(page, "Calls")
        assert.strictEqual(page.url(), place)
      }
    })

    for (const name of ["state", "nonce"]) {
      test(`refuses an answer with another ${name}, and begins again where one was going`, async ({ home, page }) => {
        await page.goto(`${home}/webhooks`)
        await swap(page, name)
        await leave(page)
        await signIn(page, "dana")
        await refused(page)
        await page.getByText("What came back does not belong to the sign-in that this tab began.").waitFor()
        assert.isNull(await page.evaluate(() => localStorage.getItem("parley.session")))
        await page.getByRole("link", { name: "Sign in again" }).click()
        await leave(page)
        await opens(page, "Webhooks")
      })
    }

    test("refuses an answer that this tab did not ask for, and one that was given before", async ({
      asked,
      home,
      page,
      root,
    }) => {
      await page.goto(`${root}/signed-in?code=stolen&state=any`)
      await page.getByText("This sign-in was begun in another tab. Begin it here again.").waitFor()
      await page.goto(home)
      await leave(page)
      await signIn(page, "dana")
      await opens(page, "Overview")
      const answer = asked.find(
        ({ pathname, searchParams }) => pathname.endsWith("/signed-in") && searchParams.has("code"),
      )
      await page.goto(answer?.href ?? "")
      await page.getByText("This sign-in was begun in another tab. Begin it here again.").waitFor()
    })

    test("says what the provider says when it refuses the sign-in", async ({ home, page }) => {
      await page.goto(home)
      await leave(page)
      await page.getByRole("link", { name: /Cancel/ }).click()
      await refused(page)
      await page.getByText("End-User aborted interaction").waitFor()
    })

    test("signs in and out in every tab, and opens the account that was used last", async ({ home, page, root }) => {
      const other = await page.context().newPage()
      await other.goto(`${home}/webhooks`)
      await other.getByRole("heading", { name: "Sign in" }).waitFor()
      await page.goto(`${home}/campaigns`)
      await leave(page)
      await signIn(page, "dana")
      await opens(page, "Campaigns")
      // The waiting tab continues without a press, and a new one asks for nothing.
      await opens(other, "Webhooks")
      const third = await page.context().newPage()
      await third.goto(`${root}/`)
      await opens(third, "Overview")
      assert.strictEqual(new URL(third.url()).pathname, new URL(home).pathname)
      await third.getByRole("button", { name: /theme and sign out/ }).click()
      await third.getByRole("menuitem", { name: "Sign out" }).click()
      for (const tab of [page, other, third]) await tab.getByRole("heading", { name: "Sign in" }).waitFor()
      assert.isNull(await page.evaluate(() => localStorage.getItem("parley.session")))
    })

    test("tells a user who is not a member to ask an owner", async ({ home, page }) => {
      await page.goto(home)
      await leave(page)
      await signIn(page, "erik")
      await page.getByText("You are signed in, but not a member of Harbor Dental. Ask one of its owners.").waitFor()
    })
  })
})
