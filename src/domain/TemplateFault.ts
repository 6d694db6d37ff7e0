/** The fault of a template, in words that its author understands: "line 7: {{ is never closed". */

/** An error of the template engine. */
interface Fault {
  readonly message: string
  readonly token: { readonly getPosition: () => ReadonlyArray<number> }
}

/** Sentences for the engine's messages. Those name the engine's own parts; these name what is in the text. */
const faults: ReadonlyArray<readonly [RegExp, (found: string) => string]> = [
  [/^output ".*" not closed/s, () => "{{ is never closed"],
  [/^tag \{% *(\w+).* not closed/s, (tag) => `{% ${tag} %} has no {% end${tag} %}`],
  [/^tag ".*" not closed/s, () => "{% is never closed"],
  [/^tag "(.*?)" not found/s, (tag) => `there is no tag ${tag}`],
  [/^undefined filter: (\S+?),/s, (filter) => `there is no filter ${filter}`],
]

/** The maximum number of characters that are quoted: the engine may quote the whole text. */
const longest = 200

export const templateFault = ({ message, token }: Fault): string => {
  const [line] = token.getPosition()
  for (const [pattern, say] of faults) {
    const found = pattern.exec(message)
    if (found !== null) return `line ${line}: ${say((found[1] ?? "").slice(0, longest))}`
  }
  return `line ${line}: ${message.replace(/, line:\d+, col:\d+$/, "").slice(0, longest)}`
}
