/** The data of a bar chart: buckets of time, each with its stacked parts. */

export interface Series {
  readonly key: string
  readonly word: string
  /** The class of its fill, such as `Fill-answered`. */
  readonly fill: string
}

export interface Bucket {
  readonly at: Date
  readonly parts: Readonly<Record<string, number>>
  /** True for the present bucket. */
  readonly isRunning?: boolean
}
