/**
 * Removes from a model's text what cannot be spoken: models forget that they are on the phone, and use markup. Pure.
 */

const steps: ReadonlyArray<readonly [what: RegExp, instead: string]> = [
  // Code, and whole answers that look like a tool's call.
  [/```[\s\S]*?(?:```|$)/gu, " "],
  [/<(tool_call|function_call|think)>[\s\S]*?(?:<\/\1>|$)/gu, " "],
  [/^\s*\{[\s\S]*"(?:name|tool|arguments)"[\s\S]*\}\s*$/u, " "],
  // Links and pictures become their text; a bare address cannot be understood by ear.
  [/!?\[([^\]]*)\]\([^)]*\)/gu, "$1"],
  [/\bhttps?:\/\/\S+/gu, " "],
  [/^\s{0,3}#{1,6}\s+/gmu, ""],
  // A list item ends as a sentence does.
  [/^\s*(?:[-*•]|\d+[.)])\s+(.*?)([.!?:,;]?)\s*$/gmu, "$1$2."],
  [/([.!?:,;])\.(?=\s|$)/gu, "$1"],
  [/(\*\*|__|~~|`)(.*?)\1/gu, "$2"],
  [/(?<![\p{L}\p{N}*_])[*_](?!\s)([^*_\n]+)(?<!\s)[*_](?![\p{L}\p{N}*_])/gu, "$1"],
  [/[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]/gu, ""],
  [/\s+/gu, " "],
]

/**
 * Steps for a text that is still arriving. They rewrite only complete constructs that are not spoken as written, so
 * that the rest can be cut into pieces.
 */
const whole: typeof steps = [
  [/```[\s\S]*?```/gu, " "],
  [/<(tool_call|function_call|think)>[\s\S]*?<\/\1>/gu, " "],
  [/!?\[([^\]]*)\]\([^)]*\)/gu, "$1"],
  [/\*\*([^*\n]+)\*\*/gu, "$1"],
]

export const withoutWhole = (text: string): string =>
  whole.reduce((left, [what, instead]) => left.replace(what, instead), text)

export const speakable = (text: string): string =>
  steps.reduce((spoken, [what, instead]) => spoken.replace(what, instead), text).trim()
