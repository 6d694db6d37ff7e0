/** What a reload of the page needs to go on with a chat: kept in this tab, and forgotten with it or when the chat ends. */

export interface KeptChat {
  /** The conversation's secret. */
  readonly resume: string
  /** Whether the panel was unfolded. */
  readonly open: boolean
}

const placeOf = (key: string) => `parley-widget:${key}`

/** A page may refuse storage altogether: then a reload begins anew, as it would without this. */
const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

export const readKept = (key: string): KeptChat | undefined =>
  attempt(() => {
    const kept: Partial<KeptChat> | null = JSON.parse(sessionStorage.getItem(placeOf(key)) ?? "null")
    return typeof kept?.resume === "string" ? { resume: kept.resume, open: kept.open === true } : undefined
  })

export const keep = (key: string, chat: KeptChat | undefined): void =>
  attempt(() =>
    chat === undefined
      ? sessionStorage.removeItem(placeOf(key))
      : sessionStorage.setItem(placeOf(key), JSON.stringify(chat)),
  )
