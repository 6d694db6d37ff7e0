/** The drafts of JSON Schema that tenants may use, and the formats that are checked. Nothing is ever fetched. */
import "@hyperjump/json-schema/draft-04"
import "@hyperjump/json-schema/draft-06"
import "@hyperjump/json-schema/draft-07"
import "@hyperjump/json-schema/draft-2019-09"
import "@hyperjump/json-schema/draft-2020-12"
import "@hyperjump/json-schema/formats"
import { removeUriSchemePlugin } from "@hyperjump/browser"
import { setMetaSchemaOutputFormat, setShouldValidateFormat } from "@hyperjump/json-schema"
import { addFormat, setFormatHandler, setOutputFormat } from "@hyperjump/json-schema/experimental"
import type { Issue } from "../../domain/Refusals.ts"
import { Faults } from "./Faults.ts"

declare module "@hyperjump/json-schema" {
  interface OutputFormats {
    FAULTS: { readonly valid: boolean; readonly errors?: ReadonlyArray<Issue> }
  }
}

for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme)

setOutputFormat("FAULTS", () => {
  const plugin = new Faults()
  return { plugin, getErrors: () => plugin.found }
})
setMetaSchemaOutputFormat("FAULTS")
setShouldValidateFormat(true)

const [draft4, draft6, draft7] = ["04", "06", "07"].map((draft) => `http://json-schema.org/draft-${draft}/schema`)
const [draft2019, draft2020] = ["2019-09", "2020-12"].map((draft) => `https://json-schema.org/draft/${draft}/schema`)

export const dialects = [draft2020, draft2019, draft7, draft6, draft4] as ReadonlyArray<string>

/** A schema without `$schema` is read by the first of these drafts whose rules it fits. */
export const implied = [draft2020, draft7] as ReadonlyArray<string>

/** The ids of the keyword `format`, one for each draft. */
const formatKeywords = ["draft-04", "draft-06", "draft-07", "draft-2019-09", "draft-2020-12"].map(
  (draft) => `https://json-schema.org/keyword/${draft}/format`,
)
export const isFormatKeyword = (id: string): boolean => formatKeywords.includes(id)

const standard = [
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
  ...["uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer"],
  "regex",
]

/** OpenAPI's formats, and `url`, which generators write for `uri`. */
const further: Readonly<Record<string, (value: unknown) => boolean>> = {
  int32: (value) => typeof value !== "number" || (Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31),
  int64: (value) => typeof value !== "number" || Number.isInteger(value),
  float: () => true,
  double: () => true,
  password: () => true,
  binary: () => true,
  byte: (value) => typeof value !== "string" || (value.length % 4 === 0 && /^[\d+/A-Za-z]*={0,2}$/.test(value)),
}

const uri = "https://json-schema.org/format/uri"
for (const [name, handler] of Object.entries(further)) addFormat({ id: `parley:${name}`, handler })
for (const keyword of formatKeywords) {
  setFormatHandler(keyword, "url", uri)
  for (const name of Object.keys(further)) setFormatHandler(keyword, name, `parley:${name}`)
}

export const knownFormats: ReadonlySet<string> = new Set([...standard, "url", ...Object.keys(further)])
