/** The metrics of a process, from `/metrics`. */
export type Metrics = ReadonlyMap<string, number>

/** Reads the metrics, each by its name with labels. */
export const read = async (url: string): Promise<Metrics> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value] = /^([^#\s{]+(?:\{[^}]*\})?) (\S+)/.exec(line) ?? []
      return name === undefined ? [] : [[name, Number(value)] as const]
    }),
  )
}

/**
 * The upper bound of the bucket with this quantile of a histogram's observations between two readings. 0 without any.
 */
export const quantile = (name: string, share: number, before: Metrics, after: Metrics): number => {
  const buckets = [...after].flatMap(([key, count]) => {
    const [, bound] = new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`).exec(key) ?? []
    return bound === undefined
      ? []
      : [{ bound: Number(bound.replace("+Inf", "Infinity")), count: count - (before.get(key) ?? 0) }]
  })
  const sorted = buckets.toSorted((a, b) => a.bound - b.bound)
  const total = sorted.at(-1)?.count ?? 0
  return total === 0 ? 0 : (sorted.find(({ count }) => count >= share * total)?.bound ?? Infinity)
}
