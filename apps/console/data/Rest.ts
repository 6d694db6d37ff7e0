/** Requests over REST: public ones before the sign-in, and files, which the JSON router cannot carry. */
import { currentToken } from "../session/Session.ts"
import { Problem } from "./Problem.ts"

export interface AskOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: BodyInit
  readonly signal?: AbortSignal
}

export const send = async (path: string, options: AskOptions): Promise<Response> => {
  const response = await fetch(path, options)
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  throw new Problem({
    status: response.status,
    code: "unreadable",
    title: response.statusText,
    detail: `The server answered ${response.status}.`,
    ...(typeof body === "object" ? body : {}),
  })
}

export const ask = async <A>(path: string, options: AskOptions = {}): Promise<A> => (await send(path, options)).json()

/** The headers of a request for an account. */
export const asMember = (account: string): Record<string, string> => ({
  authorization: `Bearer ${currentToken() ?? ""}`,
  "x-account-id": account,
})

export const fetchFile = async (account: string, path: string): Promise<Blob> => {
  const response = await send(path, { headers: asMember(account) })
  return response.blob()
}

/** Saves the response of a path as a file. */
export const download = async (account: string, path: string, name: string): Promise<void> =>
  saveAs(await fetchFile(account, path), name)

export const saveAs = (content: Blob, name: string): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
