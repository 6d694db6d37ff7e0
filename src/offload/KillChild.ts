/** Kills child processes, but none that could not be started. */
import type { ChildProcess } from "node:child_process"

/**
 * Kills the process, if it was started. `ChildProcess.kill` must not be used on one that could not be started: without a
 * free file descriptor, libuv leaves its number undefined, and the signal goes to whatever that is. 0 is the group of
 * this process itself (seen with Node 24.21).
 */
export const killChild = (child: ChildProcess): void => {
  if (child.pid !== undefined) child.kill("SIGKILL")
}
