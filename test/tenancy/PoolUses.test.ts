import { assert, it } from "@effect/vitest"
import { PoolUses } from "../../src/tenancy/PoolUses.ts"

it("a pool is forgotten once it is closed and not borrowed", () => {
  const uses = new PoolUses()
  for (let account = 0; account < 1_000; account++) uses.join(`account-${account}`).count--
  const borrowed = uses.join("borrowed")
  uses.join("open").count--

  uses.forgetClosed(new Set(["open"]))
  assert.strictEqual(uses.size, 2)
  assert.strictEqual(uses.find("borrowed"), borrowed)
  assert.isDefined(uses.find("open"))
})
