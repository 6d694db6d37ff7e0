/** The state with which a chat continues after a reload. It lasts until the tab or the chat ends. */

export interface KeptChat {
  /** The conversation's secret. */
  readonly resume: string
  /** True if the panel was unfolded. */
  readonly open: boolean
}

const placeOf = (key: string) => `parley-widget:${key}`

/** If the page forbids storage, a reload begins a new conversation. */
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
