/** The result of one check of `parley doctor`, in a sentence that says what to do. */

export interface Finding {
  readonly check: string
  /** A warning does not keep Parley from working. The words are those that `parley doctor` prints. */
  readonly result: "ok" | "warning" | "problem"
  readonly says: string
}

const makeFinding =
  (result: Finding["result"]) =>
  (check: string, says: string): Finding => ({ check, result, says })

export const ok = makeFinding("ok")
export const warning = makeFinding("warning")
export const failure = makeFinding("problem")
