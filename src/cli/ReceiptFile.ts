/** Reads the lines of a file of receipts, `receipts.jsonl`, on any machine. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Stream } from "effect"
import { createReadStream } from "node:fs"
import { Refused } from "./Output.ts"

/**
 * Lines end with a line feed, also if an editor added a carriage return to it. Node's own reader of lines ends them at
 * U+2028 too, which the text of a rule pack may contain.
 */
export const linesOfFile = (file: string) =>
  NodeStream.fromReadable({
    evaluate: () => createReadStream(file),
    onError: (error) => new Refused({ why: `${file} cannot be read: ${String(error)}` }),
  }).pipe(Stream.decodeText, Stream.splitLines)
