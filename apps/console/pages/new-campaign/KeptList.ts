/**
 * The contact list of a draft, stored in this browser so that it survives a reload of the wizard. It is dropped when
 * the campaign starts, is scheduled or gets another list. Where the browser has no storage (a page without HTTPS), a
 * reload loses it.
 */
import type { ContactFile } from "./ContactFile.ts"

const place = "parley.lists"
const addressOf = (draft: string) => `/console/kept-lists/${draft}`

const open = async (): Promise<Cache | undefined> => {
  try {
    return await globalThis.caches.open(place)
  } catch {
    return undefined
  }
}

/** Keeps one list only, since a list holds personal data and the wizard needs one. */
export const keepList = async (draft: string, { name, text }: ContactFile): Promise<void> => {
  await dropLists()
  const kept = await open()
  const headers = { "content-type": "text/csv", "x-name": encodeURIComponent(name) }
  await kept?.put(addressOf(draft), new Response(text, { headers })).catch(() => undefined)
}

export const keptList = async (draft: string): Promise<ContactFile | undefined> => {
  const found = await (await open())?.match(addressOf(draft))
  if (found === undefined) return undefined
  const name = decodeURIComponent(found.headers.get("x-name") ?? "contacts.csv")
  const { read } = await import("./ContactFile.ts")
  return read(new File([await found.blob()], name))
}

export const dropLists = async (): Promise<void> => {
  try {
    await globalThis.caches.delete(place)
  } catch {
    // Without storage there is nothing to return.
  }
}
