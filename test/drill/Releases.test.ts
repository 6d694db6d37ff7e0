/** What the release before is to this one, so that both run side by side (decision 0049). */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import * as Migrations from "../../src/tenancy/Migrations.ts"
import * as EarlierRelease from "./EarlierRelease.ts"

describe.skipIf(!existsSync(".git"))("the release before this one", () => {
  it("has an older schema of both families, so that the drill upgrades something", () => {
    assert.isBelow(EarlierRelease.newestOf("platform"), Migrations.newestOfPlatform)
    assert.isBelow(EarlierRelease.newestOf("tenant"), Migrations.newestOfTenant)
  })

  it("can use an account's database after this release's migrations", () => {
    assert.isAtMost(Migrations.servesFrom, EarlierRelease.newestOf("tenant"))
  })
})
