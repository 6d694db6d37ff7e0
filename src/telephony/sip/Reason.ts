/** The `Reason` field (RFC 3326): the telephone network's cause for the end of a call. */

/** The Q.850 cause of a `Reason` field; null if it has none. */
export const q850CauseOf = (reason: string | undefined): number | null => {
  const [, digits] = /^\s*Q\.850\s*;(?:[^,"]*;)?\s*cause\s*=\s*(\d{1,3})\b/i.exec(reason ?? "") ?? []
  return digits === undefined ? null : Number(digits)
}
