/** The options of a `fetch` with this body: a form is sent as it is, anything else as JSON. */
export const toFetchOptions = (method: string, headers: Record<string, string>, body?: unknown): RequestInit => {
  if (body === undefined) return { method, headers }
  if (body instanceof FormData) return { method, headers, body }
  return { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) }
}
