/** Names the tests that passed only when they were tried again, with their first failure: a race of the product or of the test. */
import type { Reporter, TestCase } from "vitest/node"

export class TriedAgain implements Reporter {
  readonly #lines: Array<string> = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) {
      const [failure] = test.result().errors ?? []
      const [why = "no error"] = (failure?.message ?? "").split("\n")
      this.#lines.push(`tried again: ${test.module.relativeModuleId} > ${test.fullName}: ${why.slice(0, 300)}\n`)
    }
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) process.stdout.write(line)
  }
}
