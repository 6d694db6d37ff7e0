/**
 * The text of the OpenAPI document, made when it is first needed: most processes are never asked for it. A process of
 * its own makes it, because that takes a fifth of a second. Its memory is free again when it ends; a thread's was not.
 */
import { Context, Effect } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { programEnvironment } from "../offload/ProgramEnvironment.ts"

export interface OpenApiText {
  readonly bytes: Uint8Array
  readonly etag: string
}

const program = fileURLToPath(new URL("./OpenApiProgram.ts", import.meta.url))

const make = async (): Promise<OpenApiText> => {
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: programEnvironment(),
    encoding: "buffer",
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  return { bytes: stdout, etag: `"${createHash("sha256").update(stdout).digest("base64url")}"` }
}

/** The text belongs to the whole process, not to a layer. */
const Made = Context.Reference("http/OpenApiText", {
  defaultValue: (): { text: Promise<OpenApiText> | undefined } => ({ text: undefined }),
})

/** The first caller starts the program, and the others wait for it. After a failure the next caller starts it again. */
export const openApiText: Effect.Effect<OpenApiText> = Made.use((made) =>
  Effect.promise(() => {
    made.text ??= make().catch((cause: unknown) => {
      made.text = undefined
      throw cause
    })
    return made.text
  }),
)
