/** The page of a supervisor with a call, reduced to its socket. It speaks in tones and keeps what it hears. */
import type { ToSupervisor } from "../../src/domain/TakeoverMessage.ts"
import { made } from "./Fixtures.ts"
import type { Client } from "./TestServer.ts"
import { heard, joined } from "./ToneCode.ts"
import { call, type VoicePage } from "./VoicePage.ts"

const spokenRate = 24_000

export interface SupervisorPage extends Omit<VoicePage, "next"> {
  readonly next: <T extends ToSupervisor["type"]>(type: T) => Promise<Extract<ToSupervisor, { readonly type: T }>>
  /** The token for its socket. */
  readonly ticket: string
  /** True if these words were heard since frame `from`. */
  readonly hears: (words: string, from?: number) => boolean
}

/** The words whose tones a page has played since frame `from`. */
export const wordsIn = ({ played }: Pick<VoicePage, "played">, from: number): string =>
  heard(joined(...played.slice(from).map(({ samples }) => samples)), spokenRate)

/** Takes over the call unless a token is given, and opens the socket. */
export const supervise = async (url: string, by: Client, id: string, ticket?: string): Promise<SupervisorPage> => {
  const token = ticket ?? made(await by.post(`/api/v1/calls/${id}/takeover`)).token
  const ws_url = `${url.replace("http", "ws")}/api/v1/takeovers/ws`
  const page = await call({ ws_url, session_token: token })
  return {
    ...page,
    next: (type) => page.next(type as never) as never,
    ticket: token,
    hears: (words, from = 0) => wordsIn(page, from).includes(words),
  }
}
