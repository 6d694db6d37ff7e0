/** What a chart of bars shows: buckets of time, each with the parts that stand on one another. */

export interface Series {
  readonly key: string
  readonly word: string
  /** What fills it, such as `Fill-answered`. */
  readonly fill: string
}

export interface Bucket {
  readonly at: Date
  readonly parts: Readonly<Record<string, number>>
  /** Not over yet. */
  readonly isRunning?: boolean
}
