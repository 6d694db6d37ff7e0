/** The wishes in a caller's words, by rules for English: enough for the lab. */
import { DateTime, Option } from "effect"

export const wantsPerson = (text: string): boolean =>
  /\b(?:speak|talk|connect|transfer|put)\b.*\b(?:person|human|someone|somebody|agent|representative|manager|operator)\b/iu.test(
    text,
  )

export const wantsCallback = (text: string): boolean =>
  /\bcall (?:me )?back\b|\bcallback\b|\bcall (?:me )?(?:later|again later|tomorrow)\b|\btry (?:me )?(?:again )?later\b/iu.test(
    text,
  )

export const asksTime = (text: string): boolean => /\bwhat(?:'s| is)? (?:the )?time\b|\btime is it\b/iu.test(text)

export const isQuestion = (text: string): boolean =>
  /\?\s*$/u.test(text) ||
  /^(?:and |so |but )?(?:what|when|where|who|why|how|which|do you|does|can i|can you|are you|is there)\b/iu.test(
    text.trim(),
  )

export const isFarewell = (text: string): boolean =>
  /\b(?:good ?bye|bye|talk to you then|that's all|that was all|that is all|nothing else|talked enough|not interested)\b/iu.test(
    text,
  )

/** Yes, no, or neither. */
export const answerOf = (text: string): boolean | undefined => {
  if (/\b(?:no|nope|not|don't|never)\b/iu.test(text)) return false
  if (/\b(?:yes|yeah|yep|sure|okay|ok|fine|right|correct|good|works|great)\b/iu.test(text)) return true
  return undefined
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** A calendar date as `2027-03-14`; without a year, the next one to come. */
export const dateOf = (text: string, today: DateTime.DateTime): string | undefined => {
  const { day: dayNow, month: monthNow, year: yearNow } = DateTime.toParts(today)
  const [, isoYear, isoMonth, isoDay] = /\b(\d{4})-(\d{2})-(\d{2})\b/u.exec(text) ?? []
  if (isoYear !== undefined) return real(Number(isoYear), Number(isoMonth), Number(isoDay))
  const month = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
  const [, dayFirst, monthAfter] =
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}\\b`, "iu").exec(text) ?? []
  const [, monthFirst, dayAfter] = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?\\b`, "iu").exec(text) ?? []
  const name = (monthAfter ?? monthFirst)?.toLowerCase()
  if (name === undefined) {
    return /\btomorrow\b/iu.test(text) ? DateTime.formatIsoDate(DateTime.add(today, { days: 1 })) : undefined
  }
  const number = months.indexOf(name) + 1
  const day = Number(dayFirst ?? dayAfter)
  const passed = number < monthNow || (number === monthNow && day < dayNow)
  return real(passed ? yearNow + 1 : yearNow, number, day)
}

/** A date that does not exist, such as the 31st of February, rolls over to another when it is parsed. */
const real = (year: number, month: number, day: number): string | undefined => {
  const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
  const date = Option.map(DateTime.make(`${text}T00:00:00Z`), DateTime.formatIsoDate)
  return Option.getOrUndefined(date) === text ? text : undefined
}

/** A time of the day as `15:00`. */
export const timeOf = (text: string): string | undefined => {
  const [, hour, minute = "00", half] = /\b(\d{1,2})(?::([0-5]\d))? ?([ap])\.?m\b/iu.exec(text) ?? []
  if (hour !== undefined && half !== undefined && Number(hour) <= 12) {
    const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
    return `${String(hours).padStart(2, "0")}:${minute}`
  }
  const [, clock] = /\b((?:[01]?\d|2[0-3]):[0-5]\d)\b/u.exec(text) ?? []
  return clock?.padStart(5, "0")
}
