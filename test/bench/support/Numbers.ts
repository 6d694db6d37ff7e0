/** Medians and percentiles, and the formats of numbers in the tables. */

export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
export const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US")
