/**
 * Who has a thread next. Accounts take turns, so that one account's hundred jobs wait behind one of another's; and no
 * account has all threads at once, so that there is always one for the others. Pure.
 */

/** An account's jobs that may wait. Each holds its input, a megabyte at most. */
export const mostWaiting = 64

type Begin = () => void

export class FairLine {
  private free: number
  private readonly mostOfOne: number
  private readonly running = new Map<string, number>()
  /** In the order of turns: an account whose turn it was goes to the end. */
  private readonly waiting = new Map<string, Array<Begin>>()

  constructor(threads: number) {
    this.free = threads
    this.mostOfOne = Math.max(1, threads - 1)
  }

  /** Calls `begin`, now or later, when the account has a thread. Undefined: too many of its jobs wait already. */
  enter(account: string, begin: Begin): { readonly leave: () => void } | undefined {
    const line = this.waiting.get(account) ?? []
    if (line.length >= mostWaiting) return undefined
    line.push(begin)
    this.waiting.set(account, line)
    this.advance()
    return { leave: () => this.remove(account, begin) }
  }

  /** The account's job is done. */
  release(account: string): void {
    const running = (this.running.get(account) ?? 1) - 1
    if (running > 0) this.running.set(account, running)
    else this.running.delete(account)
    this.free += 1
    this.advance()
  }

  private advance(): void {
    while (this.free > 0) {
      const account = this.waiting.keys().find((each) => (this.running.get(each) ?? 0) < this.mostOfOne)
      if (account === undefined) return
      const line = this.waiting.get(account) ?? []
      const begin = line.shift()
      this.waiting.delete(account)
      if (line.length > 0) this.waiting.set(account, line)
      if (begin === undefined) continue
      this.free -= 1
      this.running.set(account, (this.running.get(account) ?? 0) + 1)
      begin()
    }
  }

  private remove(account: string, begin: Begin): void {
    const line = this.waiting.get(account)?.filter((each) => each !== begin) ?? []
    if (line.length > 0) this.waiting.set(account, line)
    else this.waiting.delete(account)
  }
}
