/**
 * The texts of each account that the embedding provider has refused. Each is left out for a while, so that it neither
 * keeps the others from their embeddings nor is sent with every search.
 */

const restMs = 600_000

export class RefusedTexts {
  /** By account: when each text may be sent again. */
  readonly #accounts = new Map<string, Map<string, number>>()

  add(account: string, text: string, now: number): void {
    const texts = this.#accounts.get(account) ?? new Map<string, number>()
    this.#accounts.set(account, texts.set(text, now + restMs))
  }

  of(account: string, now: number): ReadonlyArray<string> {
    const texts = this.#accounts.get(account)
    if (texts === undefined) return []
    for (const [text, until] of texts) if (until <= now) texts.delete(text)
    if (texts.size === 0) this.#accounts.delete(account)
    return [...texts.keys()]
  }
}
