/** What this installation can do on a call, for operators (`/readyz`). */
import { Effect } from "effect"
import { Sandbox } from "../tools/sandbox/Sandbox.ts"
import { Chats } from "./visitors/Chats.ts"

/** The sandbox that python tools run in, `bubblewrap` or `webassembly`; `none` where they are refused. */
export const pythonSandboxKind = Sandbox.use(({ kind }) => kind)

/** `ok`, or the reason why python tools are refused with `sandbox_unavailable`. */
export const pythonSandbox = Sandbox.use(({ fault }) => Effect.map(fault, (why) => why ?? "ok"))

/** `ok`, or the reason why visitors of pages can chat only in writing. */
export const voice = Chats.use(({ sound }) => Effect.succeed(sound === null ? "no speech provider" : "ok"))
