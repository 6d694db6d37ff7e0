/** What a person does in the console, told in a real browser over the newest build. */
import { beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { missing } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { build, buildWithin, served, storyWithin, tab } from "./Tab.ts"

type Tab = Effect.Success<typeof tab>

/** A test with an account, a browser and a tab of its own. */
type Story = (title: string, tell: (tab: Tab) => Promise<void>) => void

/** The stories of one server; `settings` are its environment variables. */
export const stories = (
  title: string,
  tellAll: (story: Story) => void,
  settings?: Readonly<Record<string, string>>,
): void => {
  beforeAll(build, buildWithin)
  describe.skipIf(missing !== undefined)(`${title}`, () => {
    it.layer(
      settings === undefined ? TestServer.layer : TestServer.layerWith(settings),
      served,
    )((it) => {
      tellAll((title, tell) => {
        it.effect(
          title,
          () => Effect.scoped(Effect.flatMap(tab, (opened) => Effect.promise(() => tell(opened)))),
          storyWithin,
        )
      })
    })
  })
}
