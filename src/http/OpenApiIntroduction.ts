/** What a client has to know before its first request: the introduction of the OpenAPI document and of `/docs`. */
import type { ContractProblem } from "./OpenApiResponses.ts"

const text = `Parley is an open, multi-tenant platform for voice agents: agents that take part in phone calls, and campaigns that dial a contact list.

## Authentication
Send two headers with every request: \`Authorization: Bearer <token>\` and \`X-Account-ID: <account slug>\`. The token is an OIDC ID token from the configured issuer, or an API key (\`pak_…\`) that you create under **API keys**. An API key has one or more of the scopes \`read\`, \`write\` and \`dial\`; every operation that can cause calls needs \`dial\`. Admin paths require the token of a platform administrator and \`X-Admin: true\`. Widget paths take a widget key instead. The code samples read the server's address, the token and the account from the environment variables \`PARLEY_URL\`, \`PARLEY_TOKEN\` and \`PARLEY_ACCOUNT\`.

## Pages
Lists take \`page\` (from 0) and \`page_size\` (1 to 100) and return \`{"items": […], "page": 0, "page_size": 50, "total": 123}\`. The order is stable: newest first, except that contacts come in file order. A query parameter that the operation does not define is a 400.

## Changes
A PUT is partial: a field that you omit keeps its value. An unknown field is a 400. You may send read-only fields back; they are ignored. GET and PUT return an \`ETag\`. Send it as \`If-Match\` to make a change only if the resource has not changed since you read it; otherwise the request fails with a 412. Integers beyond 2^53 − 1 are refused, never rounded; send them as strings.

## Idempotency
Send an \`Idempotency-Key\` with any POST that creates or dials. For 24 hours, a request with the same key, query and body returns the first answer again, with \`Idempotent-Replayed: true\`. The same key with another query or body is a 422. While the first request is still running, a repeated request is a 409. A key applies to one path and one caller.

## Rate limits
A 429 carries the headers \`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`, and its body has \`limit\`, \`used\` and \`resets_at\`. The caps of an account (concurrent calls, calls per minute, calls per day) make a direct call fail with a 429. A campaign does not fail: it waits, and \`waiting_for\` says for what.

## Errors
Every error is an \`application/problem+json\` document (RFC 9457). Base decisions in your program on \`code\`, which is stable; \`detail\` is a sentence for people and may change. \`errors\` locates each fault by a JSON pointer. Quote \`request_id\` when you report a problem.
`

/** The edge's answers on every path. */
const everywhere: ReadonlyArray<ContractProblem> = [
  { status: "404", code: "route_not_found", title: "No such path" },
  { status: "405", code: "method_not_allowed", title: "Method not allowed" },
  { status: "429", code: "rate_limited", title: "Too many requests" },
  { status: "500", code: "internal_error", title: "Internal error" },
  { status: "503", code: "draining", title: "Shutting down" },
  { status: "503", code: "unavailable", title: "Temporarily unavailable" },
]

/** The introduction, with all codes of the contract by status. */
export const introduction = (problems: ReadonlyArray<ContractProblem>): string => {
  const rows = [...problems, ...everywhere]
    .toSorted((a, b) => Number(a.status) - Number(b.status) || (a.code < b.code ? -1 : 1))
    .map(({ code, status, title }) => `| ${status} | \`${code}\` | ${title} |`)
  return [text, "| Status | Code | Title |", "| --- | --- | --- |", ...new Set(rows)].join("\n")
}
