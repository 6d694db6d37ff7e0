/** `X-Twilio-Signature`: that a request comes from Twilio, and is whole. https://www.twilio.com/docs/usage/security */
import { createHmac, timingSafeEqual } from "node:crypto"

/** Names may repeat: each value once, sorted. */
const textOf = (form: URLSearchParams): string =>
  [...new Set(form.keys())]
    .toSorted()
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join("")

const signatureOf = (token: string, url: string, form: URLSearchParams): Buffer =>
  createHmac("sha1", token)
    .update(url + textOf(form))
    .digest()

/** Twilio signs the URL as it was given, sometimes with the port that its scheme implies, sometimes without any. */
const spellings = (url: string): ReadonlyArray<string> => {
  const { host, hostname, port, protocol } = new URL(url)
  const beginning = `${protocol}//${host}`
  if (!url.startsWith(beginning)) return [url]
  const rest = url.slice(beginning.length)
  const withPort = port === "" ? `${protocol}//${hostname}:${protocol === "https:" ? 443 : 80}${rest}` : url
  return [url, withPort, `${protocol}//${hostname}${rest}`]
}

/** Compared in constant time, whatever was sent. */
export const isSigned = (token: string, urls: ReadonlyArray<string>, form: URLSearchParams, sent: string): boolean => {
  const given = Buffer.from(sent, "base64")
  return urls
    .flatMap(spellings)
    .map((url) => signatureOf(token, url, form))
    .some((expected) => expected.length === given.length && timingSafeEqual(expected, given))
}
