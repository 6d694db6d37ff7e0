/** Patterns as JSON Schema has them, by ECMA-262, in the words of RE2. */
import { RE2JS } from "re2js"

/** ECMA's white space; RE2's `\s` is of ASCII alone, and without U+000B. */
const space = String.raw`\t\n\v\f\r \x{a0}\x{feff}\x{2028}\x{2029}\p{Zs}`

/** The long names of general categories, of which RE2 knows the short ones. */
const categories = new Map(
  Object.entries({
    ...{ L: "Letter", Lu: "Uppercase_Letter", Ll: "Lowercase_Letter", Lt: "Titlecase_Letter" },
    ...{ Lm: "Modifier_Letter", Lo: "Other_Letter", M: "Mark", Mn: "Nonspacing_Mark", Mc: "Spacing_Mark" },
    ...{ Me: "Enclosing_Mark", N: "Number", Nd: "Decimal_Number", Nl: "Letter_Number", No: "Other_Number" },
    ...{ P: "Punctuation", Pc: "Connector_Punctuation", Pd: "Dash_Punctuation", Ps: "Open_Punctuation" },
    ...{ Pe: "Close_Punctuation", Pi: "Initial_Punctuation", Pf: "Final_Punctuation", Po: "Other_Punctuation" },
    ...{ S: "Symbol", Sm: "Math_Symbol", Sc: "Currency_Symbol", Sk: "Modifier_Symbol", So: "Other_Symbol" },
    ...{ Z: "Separator", Zs: "Space_Separator", Zl: "Line_Separator", Zp: "Paragraph_Separator" },
    ...{ C: "Other", Cc: "Control", Cf: "Format", Co: "Private_Use" },
  }).map(([short, long]) => [long, short]),
)
  .set("digit", "Nd")
  .set("punct", "P")
  .set("cntrl", "Cc")
  .set("Combining_Mark", "M")

const token = /\\[pP]\{(?:(?:General_Category|gc|Script|sc)=)?(?<name>[^{}]*)\}|\\.|[[\]]/gsu

export const toRe2 = (pattern: string): string => {
  let isInClass = false
  const translated = pattern.replaceAll(token, (found, name: string | undefined) => {
    if (found === "[" || found === "]") isInClass = found === "["
    if (name !== undefined) return `${found.slice(0, 2)}{${categories.get(name) ?? name}}`
    if (found === String.raw`\s`) return isInClass ? space : `[${space}]`
    if (found === String.raw`\S` && !isInClass) return `[^${space}]`
    return found
  })
  return RE2JS.translateRegExp(translated)
}
