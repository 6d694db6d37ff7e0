/** What a client has to know before its first request: the introduction of the OpenAPI document and of `/docs`. */

const text = `An open, multi-tenant voice-agent platform: agents that take part in phone calls, and campaigns that dial a contact list.

## Authentication
Send two headers with every request: \`Authorization: Bearer <token>\` and \`X-Account-ID: <account slug>\`. The token is an OIDC ID token of the configured issuer, or an API key (\`pak_…\`) made under **API keys**. The scopes of a key are \`read\`, \`write\` and \`dial\`; whatever a call can follow from needs \`dial\`. Admin paths take the token of a platform administrator and \`X-Admin: true\`. Widget paths take a widget key instead. The code samples read the server's address, the token and the account from the environment: \`PARLEY_URL\`, \`PARLEY_TOKEN\`, \`PARLEY_ACCOUNT\`.

## Pages
Lists take \`page\` (from 0) and \`page_size\` (1 to 100) and answer \`{"items": […], "page": 0, "page_size": 50, "total": 123}\`. The order is stable: newest first, contacts in file order. A query parameter that an operation does not know is a 400.

## Changes
A PUT is partial: a field left out keeps its value, and an unknown field is a 400. Read-only fields may be sent back and are ignored. A GET and a PUT answer with an \`ETag\`; send it as \`If-Match\` to change only what you have read (412 otherwise). Integers beyond 2^53 − 1 are refused, never rounded: send them as strings.

## Idempotency
Send an \`Idempotency-Key\` with any POST that creates or dials. The same key with the same body answers the first answer again for 24 hours, with \`Idempotent-Replayed: true\`; with another body it is a 422, and while the first request still runs a 409. A key holds for one path and one caller.

## Rate limits
A 429 carries \`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`, and in its body \`limit\`, \`used\` and \`resets_at\`. The caps of an account (calls at once, per minute and per day) hold for direct calls; a campaign waits for them instead and says so in \`waiting_for\`.

## Errors
Every error is \`application/problem+json\` (RFC 9457). Decide by \`code\`, which is stable; \`detail\` is a sentence for people. \`errors\` names each fault by a JSON pointer. Quote the \`request_id\` when you report a problem.
`

interface Problem {
  readonly code: string
  readonly status: string
  readonly title: string
}

/** The edge's answers on every path. */
const everywhere: ReadonlyArray<Problem> = [
  { status: "404", code: "route_not_found", title: "No such path" },
  { status: "405", code: "method_not_allowed", title: "Method not allowed" },
  { status: "429", code: "rate_limited", title: "Too many requests" },
  { status: "500", code: "internal_error", title: "Internal error" },
  { status: "503", code: "draining", title: "Shutting down" },
  { status: "503", code: "unavailable", title: "Not available now" },
]

/** With all codes of the contract, by status. */
export const introduction = (problems: ReadonlyArray<Problem>): string => {
  const rows = [...problems, ...everywhere]
    .toSorted((a, b) => Number(a.status) - Number(b.status) || (a.code < b.code ? -1 : 1))
    .map(({ code, status, title }) => `| ${status} | \`${code}\` | ${title} |`)
  return [text, "| Status | Code | Title |", "| --- | --- | --- |", ...new Set(rows)].join("\n")
}
