/**
 * Where each number of a list stood first. A number in E.164 is one below 2⁵³, so a hundred thousand of them fit into two
 * arrays of numbers, where a Map of texts would be most of an import's memory.
 */
export class SeenNumbers {
  private numbers = new Float64Array(8192)
  private lines = new Int32Array(8192)
  private count = 0

  /** The line of a number that was kept before. */
  lineOf(number: number): number | undefined {
    const place = this.placeOf(number)
    return this.numbers[place] === number ? this.lines[place] : undefined
  }

  keep(number: number, line: number): void {
    const place = this.placeOf(number)
    this.numbers[place] = number
    this.lines[place] = line
    if (++this.count * 2 > this.numbers.length) this.grow()
  }

  /** Where the number is, or where it would be: no number is 0, so 0 is a free place. */
  private placeOf(number: number): number {
    const last = this.numbers.length - 1
    let place = Math.imul(number % 4_294_967_291, 0x9e3779b1) >>> 8
    for (place &= last; this.numbers[place] !== 0 && this.numbers[place] !== number; place = (place + 1) & last);
    return place
  }

  private grow(): void {
    const { lines, numbers } = this
    this.numbers = new Float64Array(2 * numbers.length)
    this.lines = new Int32Array(2 * lines.length)
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0
      if (number === 0) continue
      const place = this.placeOf(number)
      this.numbers[place] = number
      this.lines[place] = lines[at] ?? 0
    }
  }
}
