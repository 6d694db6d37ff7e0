/** The time zone in which a contact's times are shown: that of its row, or else the account's. */

const isZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const calledZone = (
  { custom_fields }: { readonly custom_fields: Readonly<Record<string, string>> },
  accountZone: string,
): string => {
  const own = custom_fields["time_zone"]?.trim() ?? ""
  return own !== "" && isZone(own) ? own : accountZone
}
