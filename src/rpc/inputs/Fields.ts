/**
 * Fields that several resources share, as zod schemas, for the router and for checks in forms. This folder imports only
 * zod and types, so that a page that uses it loads nothing else.
 */
import { z } from "zod"
import type { AccountSlug as Slug } from "../../domain/Account.ts"
import type { AgentId as Agent } from "../../domain/Agent.ts"
import type { E164 as Subscriber } from "../../domain/E164.ts"
import { toE164 } from "../../domain/NumberText.ts"
import type { PhoneNumberId as PhoneNumber } from "../../domain/PhoneNumber.ts"
import type { TimeZone as Zone } from "../../domain/TimeZone.ts"
import { isVisible, visibleRule } from "../../domain/VisibleText.ts"

/** Casts a checked text to its branded type of the domain. */
const kind =
  <Kind extends string>() =>
  (text: string): Kind =>
    text as Kind

export const text = (minimum: number, maximum: number) => z.string().min(minimum).max(maximum)
export const notBlank = (maximum: number) => z.string().regex(/\S/u, "must not be empty").max(maximum)

export const DispositionKey = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,49}$/u,
    "must be 1 to 50 of a-z, 0-9 and _, beginning with a letter, such as not_interested",
  )

export const between = (minimum: number, maximum: number) => within(z.int(), minimum, maximum)
export const decimalBetween = (minimum: number, maximum: number) => within(z.number(), minimum, maximum)
const within = (number: z.ZodNumber, minimum: number, maximum: number) => {
  const sentence = `must be between ${minimum} and ${maximum}`
  return number.min(minimum, sentence).max(maximum, sentence)
}

const uuidForm =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(?:-0{4}){3}-0{12}|f{8}(?:-f{4}){3}-f{12})$/i
export const Uuid = z.string().regex(uuidForm, "must be a UUID")
export const AgentId = Uuid.transform(kind<Agent>())
export const PhoneNumberId = Uuid.transform(kind<PhoneNumber>())

const looksLikeUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu
/** For names: paths accept a name in place of an id, so a name must not look like one. */
export const notLikeUuid = [(name: string) => !looksLikeUuid.test(name), "must not look like a UUID"] as const

/** For every text that a list shows on one line. */
export const visible = [isVisible, visibleRule] as const

export const Subject = z
  .string()
  .regex(/^\S(?:.*\S)?$/u, "must not be empty, and must not begin or end with a space")
  .max(200)
  .refine(...visible)

export const DisplayName = text(1, 200).refine(...visible)

export const Name = z
  .string()
  .regex(/^\S(?:.*\S)?$/u, "must not be empty, and must not begin or end with a space")
  .max(200)
  .refine(...visible)
  .refine(...notLikeUuid)
  .refine((name) => !/^\.{1,2}$/u.test(name), "must not be . or .., which no path can contain")

/** Identifies a resource: its UUID, or its name if it has one. */
export const Key = z.string()

export const AccountSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/u, "must be 1 to 63 of a-z, 0-9, _ and -, beginning with a letter or digit")
  .transform(kind<Slug>())

export const PhoneNumberText = z
  .string()
  .overwrite(toE164)
  .regex(/^\+[1-9][0-9]{6,14}$/u, "must be an E.164 number: + and 7 to 15 digits, such as +14155550132")
  .transform(kind<Subscriber>())

export const Email = z.string().regex(/^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u, "must be an email address")

const isZone = (name: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/u.test(name)) return false
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}
export const TimeZone = z
  .string()
  .refine(isZone, "must be an IANA time zone, such as Europe/Berlin")
  .transform(kind<Zone>())

const isDate = (date: string): boolean => {
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

/** Whether RFC 3339 can write the moment in UTC too: an offset may lead out of the years 0 to 9999. */
const isMoment = (text: string): boolean => {
  const parsed = new Date(text)
  return !Number.isNaN(parsed.getTime()) && /^\d{4}-/u.test(parsed.toISOString())
}

/** RFC 3339 with any offset. */
export const Timestamp = z
  .string()
  .regex(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u,
    { message: "must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z", abort: true },
  )
  .refine((text) => isDate(text.slice(0, 10)) && isMoment(text), "must be a date and time that exist")

export const JsonObject = z.record(z.string(), z.json())

const isUnique = (items: ReadonlyArray<string>): boolean =>
  new Set(items.map((item) => item.toLowerCase())).size === items.length
/** A list without duplicates. A UUID means the same in any case. */
export const listOf = <Item extends z.ZodType<string>>(item: Item, minimum: number, maximum: number) =>
  z.array(item).min(minimum).max(maximum).refine(isUnique, "must not have an item twice")

/** The body of a create or an update: the writable fields, and the read-only ones, which are dropped. */
export const writable = <Fields extends z.core.$ZodLooseShape>(fields: Fields, readOnly: ReadonlyArray<string>) =>
  z.strictObject({ ...Object.fromEntries(readOnly.map((name) => [name, dropped])), ...fields } as Fields)

const dropped = z
  .unknown()
  .transform(() => undefined)
  .exactOptional()

/** Which page of a list. */
export const page = (usual = 50) => ({
  page: between(0, 1_000_000_000).prefault(0),
  page_size: between(1, 100).prefault(usual),
})
export const Search = z.string().max(200)

/** `If-Match`, as a field: the change is made only if the resource still has this ETag. */
export const etag = { etag: z.string().exactOptional() }

/** The input of a procedure that takes none. */
export const Nothing = z.void()

/** An amount of money, such as `50.00` (domain/Money). */
export const Amount = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/u,
    "must be a decimal amount such as 50.00, with at most 9 digits before the point and 6 after",
  )
