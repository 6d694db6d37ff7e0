/** Parses TwiML strictly: XML that is not well-formed ends a call at the real carrier too. */

export interface Verb {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<Verb>
  readonly text: string
}

interface Open {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: Array<Verb>
  text: string
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const decoded = (text: string): string => {
  if (/[<>]/.test(text)) throw new Error("a bare < or > in a text")
  return text.replaceAll(/&([^;&]*;)?/g, (whole, name: string | undefined) => {
    const known = entities[(name ?? "").slice(0, -1)]
    const [, hex, decimal] = /^#(?:x([0-9a-fA-F]+)|(\d+));$/.exec(name ?? "") ?? []
    if (known !== undefined) return known
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    throw new Error(`an unknown entity: ${whole}`)
  })
}

const attributesOf = (text: string): Record<string, string> => {
  const found: Record<string, string> = {}
  const rest = text.replaceAll(/\s+([A-Za-z][\w:-]*)="([^"<]*)"/g, (_, name: string, value: string) => {
    if (name in found) throw new Error(`${name} stands twice`)
    found[name] = decoded(value.replaceAll(">", "&gt;"))
    return ""
  })
  if (rest.trim() !== "") throw new Error(`not understood: ${rest.trim()}`)
  return found
}

/** The verbs of a document. */
export const parse = (document: string): ReadonlyArray<Verb> => {
  const body = document.replace(/^\uFEFF?<\?xml[^?]*\?>/, "").trim()
  const stack: Array<Open> = [{ name: "", attributes: {}, children: [], text: "" }]
  const top = (): Open => stack[stack.length - 1]!
  for (const [, tag, text] of body.matchAll(/<([^<>"]*(?:"[^"]*"[^<>"]*)*)>|([^<]+)/g)) {
    if (text !== undefined) top().text += decoded(text)
    else if (tag?.startsWith("/")) {
      const closed = stack.pop()
      if (closed?.name !== tag.slice(1).trim() || stack.length === 0)
        throw new Error(`</${tag.slice(1)}> closes nothing`)
      top().children.push(closed)
    } else if (tag !== undefined) {
      const isEmpty = tag.endsWith("/")
      const [name = ""] = /^[A-Za-z]+/.exec(tag) ?? []
      if (name === "") throw new Error(`<${tag}> is no element`)
      const element: Open = {
        name,
        attributes: attributesOf((isEmpty ? tag.slice(0, -1) : tag).slice(name.length)),
        children: [],
        text: "",
      }
      if (isEmpty) top().children.push(element)
      else stack.push(element)
    }
  }
  const [response, ...others] = top().children
  if (stack.length !== 1 || response?.name !== "Response" || others.length > 0) throw new Error("no single <Response>")
  return response.children
}
