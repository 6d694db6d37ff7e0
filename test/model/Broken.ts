/** A broken promise, by its name. */
export class Broken extends Error {
  constructor(invariant: string, detail: string) {
    super(`${invariant} is broken: ${detail}`)
  }
}

export const holds = (invariant: string, condition: boolean, detail: () => string): void => {
  if (!condition) throw new Broken(invariant, detail())
}
