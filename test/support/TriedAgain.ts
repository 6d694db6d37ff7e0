/** Names the tests that passed only when they were tried again: each is a race, of the product or of the test. */
import type { Reporter, TestCase } from "vitest/node"

export class TriedAgain implements Reporter {
  readonly #lines: Array<string> = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) {
      this.#lines.push(`tried again: ${test.module.relativeModuleId} > ${test.fullName}\n`)
    }
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) process.stdout.write(line)
  }
}
