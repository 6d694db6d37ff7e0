import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Brains from "../../src/brain/Brains.ts"
import * as Prompt from "../../src/brain/Prompt.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import * as CommandRunner from "../../src/conversation/CommandRunner.ts"
import * as LabLine from "../../src/telephony/lab/LabLine.ts"
import { kit } from "../support/Kit.ts"

it.effect("a wish not to be called is in the record although the talk ends in the same moment", () =>
  Effect.gen(function* () {
    const record = new CallRecord()
    const equipped = kit()
    const prompt = yield* Prompt.render(equipped, {})
    const talk = {
      line: yield* LabLine.make({ opening: "Hello?", lines: [] }, 1),
      briefing: { kit: equipped, prompt, time_zone: "Europe/Berlin" },
      meets_machines: true,
      record,
      invoke: () => Effect.never,
      suppress: Effect.void,
    }
    const runner = yield* CommandRunner.make(talk, { post: () => {}, historyNow: () => [] })
    yield* runner.execute([
      { _tag: "OptOut", by: "words", at_ms: 900 },
      { _tag: "End", reason: "transferred" },
    ])
    yield* runner.stop
    assert.isTrue(record.opted_out)
    assert.deepInclude(record.opt_out, { by: "words", at_ms: 900 })
  }).pipe(Effect.scoped, Effect.provide(Brains.layer)),
)
