/**
 * Rewrites a text for a voice: amounts, percentages, dates, phone numbers and addresses become words of the text's
 * language if their meaning is certain. Everything else stays as it is, and the voice reads other digits itself. Pure.
 */
import { Result } from "effect"

/** A stretch of a text, and the words spoken in its place. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly spoken: string
}

/** Words that `Intl` does not have. */
interface Words {
  /** Singular and plural. */
  readonly "€": readonly [string, string]
  readonly $: readonly [string, string]
  readonly "£": readonly [string, string]
  readonly "@": string
  readonly ".": string
  readonly "-": string
  readonly _: string
  readonly "+": string
  readonly "/": string
}

const wordsOf: Readonly<Record<string, Words>> = {
  en: {
    "€": ["euro", "euros"],
    $: ["dollar", "dollars"],
    "£": ["pound", "pounds"],
    "@": "at",
    ".": "dot",
    "-": "dash",
    _: "underscore",
    "+": "plus",
    "/": "slash",
  },
  de: {
    "€": ["Euro", "Euro"],
    $: ["Dollar", "Dollar"],
    "£": ["Pfund", "Pfund"],
    "@": "at",
    ".": "Punkt",
    "-": "Bindestrich",
    _: "Unterstrich",
    "+": "plus",
    "/": "Schrägstrich",
  },
  fr: {
    "€": ["euro", "euros"],
    $: ["dollar", "dollars"],
    "£": ["livre", "livres"],
    "@": "arobase",
    ".": "point",
    "-": "tiret",
    _: "tiret bas",
    "+": "plus",
    "/": "barre oblique",
  },
  es: {
    "€": ["euro", "euros"],
    $: ["dólar", "dólares"],
    "£": ["libra", "libras"],
    "@": "arroba",
    ".": "punto",
    "-": "guion",
    _: "guion bajo",
    "+": "más",
    "/": "barra",
  },
  it: {
    "€": ["euro", "euro"],
    $: ["dollaro", "dollari"],
    "£": ["sterlina", "sterline"],
    "@": "chiocciola",
    ".": "punto",
    "-": "trattino",
    _: "trattino basso",
    "+": "più",
    "/": "barra",
  },
  pt: {
    "€": ["euro", "euros"],
    $: ["dólar", "dólares"],
    "£": ["libra", "libras"],
    "@": "arroba",
    ".": "ponto",
    "-": "hífen",
    _: "sublinhado",
    "+": "mais",
    "/": "barra",
  },
  nl: {
    "€": ["euro", "euro"],
    $: ["dollar", "dollar"],
    "£": ["pond", "pond"],
    "@": "apenstaartje",
    ".": "punt",
    "-": "streepje",
    _: "liggend streepje",
    "+": "plus",
    "/": "slash",
  },
}

interface Tongue {
  readonly locale: Intl.Locale
  readonly words: Words | undefined
}

/** Undefined for an invalid tag, or for a language that this machine does not know. */
const tongueOf = (language: string): Tongue | undefined => {
  const [known] = Result.getOrElse(
    Result.try(() => Intl.NumberFormat.supportedLocalesOf(language)),
    () => [],
  )
  if (known === undefined) return undefined
  const locale = new Intl.Locale(known)
  return { locale, words: wordsOf[locale.language] }
}

const number = String.raw`\d{1,3}(?:[.,\u00a0\u202f’']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?`
/** No adjacent character may change the meaning: "5€x", "v1.2%", "$5M". */
const noWordBefore = String.raw`(?<![\p{L}\p{N}.,_+–—-])`
const noWordAfter = String.raw`(?![\p{L}\p{N}%])(?![.,]\d)(?! ?[–—-] ?[€$£]?\d)`
/** In "$5 million" the currency is spoken after the million, which voices know themselves. */
const noMultiple = String.raw`(?!\s?(?:hundred|thousand|[mb]il|tril|mrd|mio|mln|mld|tausend|mille|mil\b|duizend))`

type Rule = readonly [pattern: RegExp, speak: (found: RegExpExecArray, tongue: Tongue) => string | undefined]

const rules: ReadonlyArray<Rule> = [
  [
    /(?<![\p{L}\p{N}])(?:https?:\/\/|(?=www\.))([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:\/[\p{L}\p{N}_-]+)*)\/?(?![\p{L}\p{N}/?#&=:@%~-])/giu,
    ([, address = ""], { words }) => words && spell(address, words),
  ],
  [
    /(?<![\p{L}\p{N}.@_+-])[\p{L}\p{N}_+-]+(?:\.[\p{L}\p{N}_+-]+)*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?![\p{L}\p{N}@])/giu,
    ([address], { words }) => words && spell(address, words),
  ],
  [
    /(?<![\p{N}.:+/-])(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?(?![\p{L}\p{N}:/-])/gu,
    ([all, year, month, day, hour, minute], { locale }) => {
      const moment = new Date(`${year}-${month}-${day}T${hour ?? "00"}:${minute ?? "00"}:00Z`)
      if (Number.isNaN(moment.getTime()) || moment.getUTCDate() !== Number(day)) return undefined
      const format = new Intl.DateTimeFormat(locale, {
        dateStyle: "long",
        timeZone: "UTC",
        ...(hour === undefined ? {} : { timeStyle: "short" }),
      })
      return format.format(moment).replaceAll(/[\u00a0\u202f]/gu, " ") + (all.endsWith("Z") ? " UTC" : "")
    },
  ],
  [
    /(?<![\p{L}\p{N}.,+/-])(?:\+\d{8,15}|\+\d{1,3}[ .-]\(?\d{1,8}\)?(?:[ .-]\d{2,8}){1,4}|\(\d{3}\) ?\d{3}[ -]\d{4}|\d{3}-\d{3}-\d{4})(?![\p{L}\p{N}/-])(?![.,]\d)/gu,
    ([written], { words }) => words && speakNumber(written, words),
  ],
  [
    new RegExp(`${noWordBefore}([€$£])[ \\u00a0]?(${number})${noWordAfter}${noMultiple}`, "giu"),
    ([, sign = "", amount = ""], { locale, words }) => words && money(sign, amount, locale, words),
  ],
  [
    new RegExp(`${noWordBefore}(${number})[ \\u00a0\\u202f]?([€$£])(?![\\p{L}\\p{N}])${noMultiple}`, "giu"),
    ([, amount = "", sign = ""], { locale, words }) => words && money(sign, amount, locale, words),
  ],
  [
    new RegExp(`${noWordBefore}(${number})[ \\u00a0\\u202f]?%(?![\\p{L}\\p{N}%])`, "giu"),
    ([, share = ""], { locale }) => {
      const format = new Intl.NumberFormat(locale, { style: "unit", unit: "percent", unitDisplay: "long" })
      const [first, ...more] = format.formatToParts(/^\d+$/u.test(share) ? Number(share) : 1.5)
      // Leaves the text as it is in languages that say the unit before the number.
      const unit = [first, ...more].find((part) => part?.type === "unit")?.value
      return first?.type === "integer" && unit !== undefined ? `${share} ${unit}` : undefined
    },
  ],
]

/** Speaks an amount: only the choice of singular or plural depends on it. */
const money = (sign: string, amount: string, locale: Intl.Locale, words: Words): string | undefined => {
  if (sign !== "€" && sign !== "$" && sign !== "£") return undefined
  const isOne = /^\d$/u.test(amount) && new Intl.PluralRules(locale).select(Number(amount)) === "one"
  return `${amount} ${words[sign][isOne ? 0 : 1]}`
}

/** Spells the signs of an address. The voice pronounces the letters as words where it can. */
const spell = (address: string, words: Words): string =>
  address.replaceAll(/[@.\-_+/]/gu, (sign) => (isSign(sign) ? ` ${words[sign]} ` : sign)).trim()

const isSign = (sign: string): sign is "@" | "." | "-" | "_" | "+" | "/" => "@.-_+/".includes(sign)

/**
 * Speaks a phone number digit by digit, in the groups in which it is written. An ungrouped number is read in groups of
 * three, with the country code first and four digits at the end.
 */
const speakNumber = (written: string, words: Words): string | undefined => {
  const digits = written.replaceAll(/\D/gu, "")
  if (digits.length < 8 || digits.length > 15) return undefined
  const isWhole = written.startsWith("+")
  const groups = isWhole && /^\+\d+$/u.test(written) ? groupDigits(digits) : written.split(/\D+/u).filter(Boolean)
  return (isWhole ? `${words["+"]} ` : "") + groups.map((group) => [...group].join(" ")).join(", ")
}

const groupDigits = (digits: string): ReadonlyArray<string> => {
  const groups = [digits.slice(-4)]
  let left = digits.slice(0, -4)
  while (left.length > 3) {
    groups.unshift(left.slice(-3))
    left = left.slice(0, -3)
  }
  return left === "" ? groups : [left, ...groups]
}

/** A quick check: most texts have none of these characters. */
const suspicious = /[€$£%@+\d/]|www\./iu

export const spans = (text: string, language: string): ReadonlyArray<Span> => {
  if (!suspicious.test(text)) return []
  const tongue = tongueOf(language)
  if (tongue === undefined) return []
  const found: Array<Span> = []
  for (const [pattern, speak] of rules) {
    for (const match of text.matchAll(pattern)) {
      const [from, to] = [match.index, match.index + match[0].length]
      if (found.some((span) => from < span.to && span.from < to)) continue
      const spoken = speak(match, tongue)
      if (spoken !== undefined) found.push({ from, to, spoken })
    }
  }
  return found.toSorted((a, b) => a.from - b.from)
}

export const aloud = (text: string, language: string): string => {
  let at = 0
  let spoken = ""
  for (const span of spans(text, language)) {
    spoken += text.slice(at, span.from) + span.spoken
    at = span.to
  }
  return spoken + text.slice(at)
}
