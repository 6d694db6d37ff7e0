/**
 * Verifies `X-Twilio-Signature`: the request comes from Twilio and is unchanged.
 * https://www.twilio.com/docs/usage/security
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { StreamRequest } from "../CarrierStreams.ts"

/**
 * The part of the form that Twilio signs: the names sorted, and each distinct value of a name once, sorted. Linear but
 * for the sorting.
 */
const textOf = (form: URLSearchParams): string => {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value))
  return [...values.keys()]
    .toSorted()
    .flatMap((name) => [...(values.get(name) ?? [])].toSorted().map((value) => name + value))
    .join("")
}

/** The signature in base64, as the header has it. */
const signatureOf = (token: string, url: string, text: string): Buffer =>
  Buffer.from(
    createHmac("sha1", token)
      .update(url + text)
      .digest("base64"),
  )

/** Twilio signs the URL that we gave it, sometimes with the scheme's default port and sometimes without a port. */
const spellings = (url: string): ReadonlyArray<string> => {
  const [, scheme, host, rest] = /^((?:http|ws)s?:\/\/)(\[[^\]]*\]|[^/:?]*)(?::\d+)?(.*)$/s.exec(url) ?? []
  const implied = scheme === "http://" || scheme === "ws://" ? 80 : 443
  return scheme === undefined ? [url] : [url, `${scheme}${host}${rest}`, `${scheme}${host}:${implied}${rest}`]
}

/** Compares in constant time. */
export const isSigned = (token: string, urls: ReadonlyArray<string>, form: URLSearchParams, sent: string): boolean => {
  const given = Buffer.from(sent)
  const text = textOf(form)
  return urls
    .flatMap(spellings)
    .map((url) => signatureOf(token, url, text))
    .some((expected) => expected.length === given.length && timingSafeEqual(expected, given))
}

/** Whether Twilio opens this stream. Twilio signs the URL that we gave it, sometimes with a slash at the end. */
export const isStreamSigned = (stream_url: string, token: string, { handshake, urls }: StreamRequest): boolean => {
  const full = urls.flatMap((url) => [`${stream_url}${url}`, `${stream_url}${url}/`])
  return isSigned(token, full, new URLSearchParams(), String(handshake.headers["x-twilio-signature"] ?? ""))
}
