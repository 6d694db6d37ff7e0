/**
 * Counts of the calls that this process has offered and whose answer it does not know yet, by account and process. The
 * rows are the truth (`ledger/OfferRows`), and each read of them corrects the counts. Plain code.
 */
export class OpenOffers {
  private readonly accounts = new Map<string, Map<string, number>>()

  get total(): number {
    return this.accounts.values().reduce((sum, offers) => sum + sumOf(offers.values()), 0)
  }

  /** The number of calls that are on offer to the process `node`. */
  to(node: string): number {
    return sumOf(this.accounts.values().map((offers) => offers.get(node) ?? 0))
  }

  add(account: string, offers: ReadonlyMap<string, number>): void {
    const before = this.accounts.get(account) ?? new Map<string, number>()
    for (const [node, calls] of offers) before.set(node, (before.get(node) ?? 0) + calls)
    this.accounts.set(account, before)
  }

  /** Sets all counts of the account. */
  set(account: string, offers: ReadonlyMap<string, number>): void {
    if (offers.size === 0) this.accounts.delete(account)
    else this.accounts.set(account, new Map(offers))
  }

  /** Notes that the process `node` has answered all offers of the account. */
  close(account: string, node: string): void {
    this.accounts.get(account)?.delete(node)
  }
}

const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}
