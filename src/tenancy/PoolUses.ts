/** Which pools are borrowed, and when each was last used. Plain code. */
import type { Context, Scope } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * The borrowers of one pool. Reference-counted: they share the pool, and another borrower only increments the count.
 */
export interface Use {
  count: number
  /** When the last borrower left, in milliseconds. */
  lastUsed: number
  isOpen: boolean
  services: Context.Context<SqlClient.SqlClient> | undefined
  /** The scopes that keep the pool open; the last borrower closes them. */
  readonly held: Array<Scope.Closeable>
}

export class PoolUses {
  readonly #uses = new Map<string, Use>()

  /** The pools that are borrowed, and those that were and are not forgotten. */
  get size(): number {
    return this.#uses.size
  }

  find(key: string): Use | undefined {
    return this.#uses.get(key)
  }

  /** Counts another borrower. */
  join(key: string): Use {
    const use = this.#uses.get(key) ?? { count: 0, lastUsed: 0, isOpen: false, services: undefined, held: [] }
    use.count++
    this.#uses.set(key, use)
    return use
  }

  /** Forgets the pools that are neither borrowed nor open: those of deleted accounts would stay for ever. */
  forgetClosed(open: ReadonlySet<string>): void {
    for (const [key, { count }] of this.#uses) if (count === 0 && !open.has(key)) this.#uses.delete(key)
  }
}
