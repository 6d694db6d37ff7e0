/** JSON with coloured names, strings, numbers and keywords. */
import { Fragment } from "react"
import "./JsonText.css"

const piece = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/** Up to this many characters, the JSON is on one line. */
const short = 60

export const JsonText = ({ isLong = false, value }: { readonly value: unknown; readonly isLong?: boolean }) => {
  const flat = JSON.stringify(value) ?? "null"
  const text = flat.length <= short && !isLong ? toOneLine(value) : JSON.stringify(value, null, 2)
  const parts: Array<{ readonly text: string; readonly kind?: string }> = []
  let at = 0
  for (const { index, 0: whole, 1: quoted, 2: colon, 3: word } of text.matchAll(piece)) {
    if (index > at) parts.push({ text: text.slice(at, index) })
    const kind =
      quoted === undefined ? (word === undefined ? "number" : "keyword") : colon === undefined ? "string" : "name"
    parts.push({ text: colon === undefined ? whole : (quoted ?? ""), kind })
    if (colon !== undefined) parts.push({ text: colon })
    at = index + whole.length
  }
  parts.push({ text: text.slice(at) })
  return (
    <>
      {parts.map(({ kind, text }, index) => (
        <Fragment key={index}>
          {kind === undefined ? text : <span className={`JsonText-${kind}`}>{text}</span>}
        </Fragment>
      ))}
    </>
  )
}

const toOneLine = (value: unknown): string => JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, " ") ?? "null"
