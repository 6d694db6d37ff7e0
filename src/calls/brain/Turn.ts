/** One turn of an agent, on a call or in a preview: the rules that hold whatever brain answers. */
import { Effect } from "effect"
import { Brain, BrainFailed, type Reply, type TurnInput } from "./Brain.ts"
import { wantsNoCalls } from "./scripted/Wishes.ts"

/** Real seconds, tools included; nobody stays on a silent line for longer. */
const longest = "20 seconds"

/** What is said of a turn may not be longer than anybody would listen to. */
const longestReply = 4_000

const optedOut = "I understand. We will not call you again. I am sorry for the trouble. Goodbye."

/**
 * An opt-out is heard by code, beside the model: it is written before it is confirmed, and the call ends. `optOut` is
 * for an agent that has no tool for it.
 */
export const take = Effect.fn("Turn.take")(function* (
  turn: TurnInput,
  optOut: Effect.Effect<void>,
): Effect.fn.Return<Reply, BrainFailed, Brain> {
  const last = turn.history.at(-1)
  if (last?.role === "caller" && wantsNoCalls(last.text)) {
    const tool = turn.briefing.kit.tools.find(({ is_default, name }) => is_default && name === "add_to_do_not_call")
    const done = tool === undefined ? undefined : yield* turn.invoke(tool.name, {})
    if (done === undefined || done.error !== undefined) yield* optOut
    return { text: optedOut, ends: true }
  }
  const brain = yield* Brain
  const reply = yield* brain.reply(turn).pipe(
    Effect.timeoutOrElse({
      duration: longest,
      orElse: () => new BrainFailed({ reason: `no answer within ${longest}` }),
    }),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("a brain failed by a defect", defect), new BrainFailed({ reason: "a defect" })),
    ),
  )
  return { ...reply, text: reply.text.trim().slice(0, longestReply) }
})
