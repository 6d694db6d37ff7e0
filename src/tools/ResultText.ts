/** Reads the JSON that an account's own tool returned. The text may have up to a megabyte, the result 64 KiB. */
import { Effect } from "effect"
import { Crowded } from "../domain/Refusals.ts"
import * as LargeJson from "../offload/LargeJson.ts"
import { largestResult, resultTooLarge, ToolFailed } from "./ToolRunner.ts"

/** Characters around a result, such as `{"result":}`. */
const frame = 1_024

/**
 * Returns the value, or undefined if the text is not JSON. Fails with `result_too_large` before a large value reaches
 * the event loop.
 */
export const read = (text: string, logs?: ReadonlyArray<string>) =>
  LargeJson.read({ text, most: largestResult + frame }).pipe(
    Effect.catchTag("Overrun", () => resultTooLarge(logs)),
    Effect.mapError((failure) =>
      failure instanceof Crowded ? new ToolFailed({ code: "rate_limited", reason: failure.message }) : failure,
    ),
    Effect.flatMap((reading) =>
      reading.kind === "too_large"
        ? resultTooLarge(logs)
        : Effect.succeed(reading.kind === "value" ? reading.value : undefined),
    ),
  )
