/** Converts between a moment and the text of a `datetime-local` field in the account's zone. */

const parts = (at: Date, zone: string): Record<string, string> =>
  Object.fromEntries(
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )

export const localInput = (at: Date, zone: string): string => {
  const { day = "", hour = "", minute = "", month = "", year = "" } = parts(at, zone)
  return `${year}-${month}-${day}T${hour}:${minute}`
}

const day = 86_400_000

/**
 * The moment at which clocks in the zone show this text. If they show it twice, because they go back that night, it is
 * the first time. If they never show it, because they go forward, it is as long after midnight as the text says.
 */
export const momentIn = (text: string, zone: string): Date | undefined => {
  const asUtc = Date.parse(`${text}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const offset = (at: number) => Date.parse(`${localInput(new Date(at), zone)}Z`) - at
  const [before, after] = [asUtc - offset(asUtc - day), asUtc - offset(asUtc + day)]
  const shows = [before, after].filter((at) => at + offset(at) === asUtc)
  return new Date(shows.length === 0 ? before : Math.min(...shows))
}

/** Converts days of a URL, both included, to the moments at which they begin and end in the account's zone. */
export const momentsOfDays = (
  search: { readonly from?: string | undefined; readonly to?: string | undefined },
  zone: string,
): { readonly from?: string; readonly to?: string } => {
  const first = search.from === undefined ? undefined : momentIn(`${search.from}T00:00`, zone)
  const last = search.to === undefined ? Number.NaN : Date.parse(search.to)
  const after = Number.isNaN(last)
    ? undefined
    : momentIn(`${new Date(last + day).toISOString().slice(0, 10)}T00:00`, zone)
  return {
    ...(first !== undefined && { from: first.toISOString() }),
    ...(after !== undefined && { to: after.toISOString() }),
  }
}
