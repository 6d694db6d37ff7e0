import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { transferCall } from "../../../src/tools/builtin/onTheLine.ts"
import * as CallControls from "../../../src/tools/CallControls.ts"
import { tenantWithoutDatabase } from "../../support/TenantWithoutDatabase.ts"

const desk = "+14155550111"
const shop = "+14155550112"
const stranger = "+19005550100"

/** The number that was dialled, or why none was. */
const transfer = (
  args: Schema.JsonObject,
  config: Schema.JsonObject,
  note: (warm: { readonly reason: string } | null) => void = () => {},
) => {
  const dialled: Array<string> = []
  const controls = {
    ...CallControls.none,
    transfer: (target: string, warm: { readonly reason: string } | null) =>
      Effect.sync(() => {
        dialled.push(target)
        note(warm)
      }),
  }
  const context = { about: {}, call_id: null, phone_number: null, variables: {}, time_zone: "UTC", faq_ids: [] }
  return transferCall(args, { ...context, controls, config, outcome_schema: null, dispositions: [] }).pipe(
    Effect.match({ onSuccess: () => dialled, onFailure: ({ code }) => code }),
    Effect.provide(tenantWithoutDatabase()),
  )
}

describe("transfer_call", () => {
  it.effect.each([
    [{ to: desk }, null],
    [{ to: desk, mode: "blind" }, null],
    [
      { to: desk, mode: "warm" },
      { reason: "A booking", music: true },
    ],
    [
      { to: desk, mode: "warm", music: false },
      { reason: "A booking", music: false },
    ],
    [
      { to: desk, mode: { [desk]: "warm" } },
      { reason: "A booking", music: true },
    ],
    [{ to: desk, mode: { [shop]: "warm" } }, null],
  ] as const)("with %j is warm: %j", ([config, expected]) =>
    Effect.gen(function* () {
      const warmths: Array<unknown> = []
      yield* transfer({ reason: "A booking" }, config, (warm) => warmths.push(warm))
      assert.deepStrictEqual(warmths, [expected])
    }),
  )
})

describe("transfer_call dials only numbers that its settings name", () => {
  it.effect.each([
    [{}, { to: desk }, [desk]],
    [{ to: desk }, { to: desk }, [desk]],
    [{ to: stranger }, { to: desk }, "target_not_allowed"],
    [{ to: shop }, { to: desk, allowed: [shop] }, [shop]],
    [{ to: stranger }, { allowed: [shop] }, "target_not_allowed"],
    [{}, { allowed: [shop] }, "no_target"],
    [{ to: stranger }, {}, "transfer_not_configured"],
    [{ to: stranger }, { allowed: [] }, "transfer_not_configured"],
    [{ to: stranger }, { allowed: stranger }, "transfer_not_configured"],
    [{}, {}, "transfer_not_configured"],
    [{ to: "112" }, { allowed: ["112"] }, "invalid_target"],
  ] as const)("%j with %j comes to %j", ([args, config, expected]) =>
    Effect.map(transfer(args, { ...config }), (ended) => assert.deepEqual<unknown>(ended, expected)),
  )
})
