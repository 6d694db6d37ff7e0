/**
 * The notices about offered calls, as text (`tenancy/Notices`). They begin with a character that no account's slug has.
 * Processes of earlier releases ignore them.
 */

/** A process offers calls of an account. `calls`: how many are open. */
export interface Offered {
  readonly _tag: "Offered"
  readonly account: string
  readonly to: string
  readonly calls: number
}

/** A process has answered all offers of an account's calls that it found. `calls`: how many it carries now. */
export interface Answered {
  readonly _tag: "Answered"
  readonly account: string
  readonly to: string
  readonly by: string
  readonly calls: number
  readonly refused: number
}

const prefix = "~calls"

export const textOf = (notice: Offered | Answered): string =>
  notice._tag === "Offered"
    ? [prefix, notice.account, notice.to, notice.calls].join("/")
    : [prefix, notice.account, notice.to, notice.calls, notice.by, notice.refused].join("/")

/** Returns undefined for a notice about something else. */
export const noticeFrom = (text: string): Offered | Answered | undefined => {
  const [first, account = "", to = "", calls = "", by, refused = ""] = text.split("/")
  if (first !== prefix) return undefined
  const common = { account, to, calls: Number(calls) }
  return by === undefined
    ? { _tag: "Offered", ...common }
    : { _tag: "Answered", ...common, by, refused: Number(refused) }
}
