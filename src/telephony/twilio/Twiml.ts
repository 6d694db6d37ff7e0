/** TwiML: the instructions for a call, as XML. Every text and attribute is escaped. */
import { Result } from "effect"
import { tokenParameter } from "../stream/TwilioDialect.ts"

type Attributes = Readonly<Record<string, string | number>>

/** Control characters and lone surrogates. XML allows most of them neither escaped nor plain. */
const unspeakable = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeXml = (text: string): string =>
  text.replaceAll(unspeakable, " ").replaceAll(/[&<>"]/g, (found) => entities[found] ?? found)

const parent = (name: string, attributes: Attributes, children: string): string => {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  return `<${name}${list.join("")}>${children}</${name}>`
}

const element = (name: string, attributes: Attributes, text: string): string =>
  parent(name, attributes, escapeXml(text))

const response = (...verbs: ReadonlyArray<string>): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs.join("")}</Response>`

/** Seconds after which Twilio asks again whether to go on listening. */
const listensSeconds = 30
/** Seconds that a transferred call may ring. */
const ringsSeconds = 30

/** Returns the language with a region, as Twilio's recognisers and voices require. */
export const localeOf = (language: string): string =>
  Result.match(
    Result.try(() => new Intl.Locale(language).maximize()),
    { onFailure: () => "en-US", onSuccess: ({ language, region = "US" }) => `${language}-${region}` },
  )

/** `next` is where Twilio reports the result and asks how to go on. */
export const listen = (next: string, locale: string): string =>
  response(
    element(
      "Gather",
      {
        input: "speech",
        language: locale,
        speechTimeout: "auto",
        timeout: listensSeconds,
        actionOnEmptyResult: "true",
        method: "POST",
        action: next,
      },
      "",
    ),
  )

const goOn = (next: string) => element("Redirect", { method: "POST" }, next)

export const say = (text: string, next: string, locale: string): string =>
  response(element("Say", { language: locale }, text), goOn(next))

/** Removes the characters that Twilio cannot play. `w` is a pause of half a second. */
export const playable = (digits: string): string => digits.replaceAll(/[^0-9*#w]/g, "")

export const play = (digits: string, next: string): string => response(element("Play", { digits }, ""), goOn(next))

export const dial = (target: string, next: string): string =>
  response(element("Dial", { action: next, method: "POST", timeout: ringsSeconds }, target))

/** Seconds that a call waits in silence for an instruction, before Twilio hangs up. */
const waitsSeconds = 20

/** Rejects a call that is still ringing. */
export const busy: string = response(element("Reject", { reason: "busy" }, ""))

export const wait: string = response(element("Pause", { length: waitsSeconds }, ""))

export interface MediaStream {
  readonly url: string
  readonly token: string
  /** Keys to press first; may be empty. */
  readonly digits: string
}

/** Twilio requests further instructions at `next` if the stream cannot be opened, or ends while the call goes on. */
export const stream = ({ digits, token, url }: MediaStream, next: string): string => {
  const parameter = element("Parameter", { name: tokenParameter, value: token }, "")
  return response(
    digits === "" ? "" : element("Play", { digits }, ""),
    parent("Connect", {}, parent("Stream", { url }, parameter)),
    goOn(next),
  )
}

/** The most characters of one Say: a request may have 4,000, and `&quot;` takes six of them. */
export const longestPiece = 600
