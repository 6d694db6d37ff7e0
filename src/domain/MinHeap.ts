/** A priority queue: the least element comes out first. */
export class MinHeap<A> {
  private readonly items: Array<A> = []
  private readonly isBefore: (a: A, b: A) => boolean

  constructor(isBefore: (a: A, b: A) => boolean) {
    this.isBefore = isBefore
  }

  get size(): number {
    return this.items.length
  }

  peek(): A | undefined {
    return this.items[0]
  }

  push(item: A): void {
    const { isBefore, items } = this
    let at = items.length
    items.push(item)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  pop(): A | undefined {
    const { items } = this
    const first = items[0]
    const last = items.pop()
    if (last !== undefined && items.length > 0) this.sink(last)
    return first
  }

  /** Moves the gap at the top down until `item` fits into it. */
  private sink(item: A): void {
    const { isBefore, items } = this
    let at = 0
    while (true) {
      const left = 2 * at + 1
      const [a, b] = [items[left], items[left + 1]]
      if (a === undefined) break
      const isRight = b !== undefined && isBefore(b, a)
      const least = isRight ? b : a
      if (!isBefore(least, item)) break
      items[at] = least
      at = isRight ? left + 1 : left
    }
    items[at] = item
  }
}
