/**
 * The code samples of the document, in curl, JavaScript and Python, made from its own examples. They run as printed:
 * the reader's own values come from the environment (`PARLEY_URL`, `PARLEY_TOKEN`, `PARLEY_ACCOUNT`, `CAMPAIGN_ID` …).
 */
import type { OpenApi } from "effect/http-api"

/** A part of a text: literal, or an environment variable. */
type Part = string | { readonly variable: string }
type Text = ReadonlyArray<Part>

interface Request {
  readonly method: string
  readonly url: Text
  readonly headers: ReadonlyArray<readonly [name: string, value: Text]>
  readonly json?: unknown
  readonly form?: ReadonlyArray<readonly [name: string, value: Text]>
}

/** The sample files for the form fields that are files. */
const files: Readonly<Record<string, string>> = { contacts: "contacts.csv", numbers: "numbers.csv" }

interface Described {
  readonly $ref?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Record<string, Described>
  readonly required?: ReadonlyArray<string>
  readonly allOf?: ReadonlyArray<Described>
}
type Schemas = Record<string, unknown>

interface Operation {
  readonly parameters?: ReadonlyArray<OpenApi.OpenAPISpecParameter>
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly security?: ReadonlyArray<object>
}

/** The paths of the document, each operation with `x-codeSamples`, the extension that reference pages read. */
export const withSamples = (paths: Record<string, object>, schemas: Schemas) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item as Record<string, Operation>).map(([method, operation]) => [
          method,
          { ...operation, "x-codeSamples": samplesOf(path, method, operation, schemas) },
        ]),
      ),
    ]),
  )

const samplesOf = (path: string, method: string, operation: Operation, schemas: Schemas) => {
  const request = requestOf(path, method, operation, schemas)
  return [
    { lang: "Shell", label: "curl", source: inShell(request) },
    { lang: "JavaScript", label: "JavaScript", source: inJavaScript(request) },
    { lang: "Python", label: "Python", source: inPython(request) },
  ]
}

/** A request with the required fields, and with the optional fields of the query that have an example. */
const requestOf = (path: string, method: string, operation: Operation, schemas: Schemas): Request => {
  const exampleOf = (described: unknown): unknown => {
    const { $ref, allOf = [], examples } = (described ?? {}) as Described
    if ($ref !== undefined) return exampleOf(schemas[$ref.split("/").at(-1) ?? ""])
    return examples?.[0] ?? allOf.map(exampleOf).find((example) => example !== undefined)
  }
  const valueOf = (variable: string, described: unknown): Text => {
    const example = exampleOf(described)
    return [example === undefined ? { variable } : encodeURIComponent(String(example))]
  }
  const parameters = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place)
  const places = path.split("/").flatMap((segment, at, segments): Text => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    if (name === undefined) return ["/", segment]
    const schema = parameters("path").find((one) => one.name === name)?.schema
    return ["/", ...valueOf(variableOf(name, segments[at - 1] ?? ""), schema)]
  })
  const query = parameters("query")
    .filter(({ required, schema }) => required || exampleOf(schema) !== undefined)
    .flatMap(({ name, schema }, at): Text => [
      `${at === 0 ? "?" : "&"}${name}=`,
      ...valueOf(variableOf(name, ""), schema),
    ])
  const json = operation.requestBody?.content["application/json"] as { readonly schema: Described } | undefined
  const form = operation.requestBody?.content["multipart/form-data"] as { readonly schema: Described } | undefined
  return {
    method: method.toUpperCase(),
    url: [{ variable: "PARLEY_URL" }, ...places.slice(2), ...query],
    headers: [...headersOf(operation.security?.[0] ?? {}), ...(path.endsWith("/auth/session") ? [origin] : [])],
    ...(json === undefined ? {} : { json: exampleOf(json.schema) ?? {} }),
    ...(form === undefined ? {} : { form: fieldsOf(form.schema, exampleOf) }),
  }
}

/** A page's browser sends this header. Other clients have to send it too, or a public key is refused. */
const origin = ["Origin", ["https://www.example.com"]] as const

/** `/campaigns/{id}` → `CAMPAIGN_ID`, `{tool_name}` → `TOOL_NAME`. */
const variableOf = (name: string, collection: string): string => {
  const full = name === "id" ? `${collection.replace(/s$/, "")}_id` : name
  return full
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toUpperCase()
}

const headersOf = (schemes: object): Request["headers"] => {
  const bearers = { bearer: "PARLEY_TOKEN", widgetSecretKey: "PARLEY_WIDGET_SECRET", metrics: "PARLEY_METRICS_TOKEN" }
  const bearer = Object.entries(bearers).find(([scheme]) => scheme in schemes)?.[1]
  return [
    ...(bearer === undefined ? [] : [["Authorization", ["Bearer ", { variable: bearer }]] as const]),
    ...("account" in schemes ? [["X-Account-ID", [{ variable: "PARLEY_ACCOUNT" }]] as const] : []),
    ...("admin" in schemes ? [["X-Admin", ["true"]] as const] : []),
  ]
}

const fieldsOf = (schema: Described, exampleOf: (described: unknown) => unknown): NonNullable<Request["form"]> =>
  (schema.required ?? []).map((name) => {
    const example = exampleOf(schema.properties?.[name]) ?? files[name]
    return [name, [example === undefined ? { variable: variableOf(name, "") } : String(example)]]
  })

const isPlain = (text: Text): boolean => text.every((part) => typeof part === "string")
const textOf = (text: Text, variable: (name: string) => string): string =>
  text.map((part) => (typeof part === "string" ? part : variable(part.variable))).join("")
/** The variable of a text that consists of nothing else. */
const onlyVariable = (text: Text): string | undefined =>
  text.length === 1 && typeof text[0] === "object" ? text[0].variable : undefined

const inShell = ({ form = [], headers, json, method, url }: Request): string => {
  const quote = (text: Text) => `"${textOf(text, (name) => `$${name}`)}"`
  const single = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl ${quote(url)}`,
    ...(method === "GET" || form.length > 0 ? [] : [`--request ${method}`]),
    ...headers.map(([name, value]) => `--header ${quote([`${name}: `, ...value])}`),
    ...(json === undefined
      ? []
      : ['--header "Content-Type: application/json"', `--data ${single(JSON.stringify(json, null, 2))}`]),
    ...form.map(([name, value]) =>
      name in files ? `--form "${name}=@${files[name]};type=text/csv"` : `--form ${quote([`${name}=`, ...value])}`,
    ),
  ].join(" \\\n  ")
}

const inJavaScript = ({ form = [], headers, json, method, url }: Request): string => {
  const literal = (text: Text) => {
    const variable = onlyVariable(text)
    if (variable !== undefined) return `env.${variable}`
    if (isPlain(text)) return JSON.stringify(textOf(text, String))
    return `\`${textOf(text, (name) => `\${env.${name}}`)}\``
  }
  const quoteName = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name))
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 && json === undefined
      ? []
      : [
          "headers: {",
          ...headers.map(([name, value]) => `  ${quoteName(name)}: ${literal(value)},`),
          ...(json === undefined ? [] : ['  "Content-Type": "application/json",']),
          "},",
        ]),
    ...(json === undefined ? [] : `body: JSON.stringify(${JSON.stringify(json, null, 2)}),`.split("\n")),
    ...(form.length === 0 ? [] : ["body: form,"]),
  ]
  return [
    ...(form.length === 0 ? [] : ['import { openAsBlob } from "node:fs"']),
    'import { env } from "node:process"',
    "",
    ...(form.length === 0 ? [] : ["const form = new FormData()"]),
    ...form.map(([name, value]) =>
      name in files
        ? `form.append("${name}", await openAsBlob("${files[name]}", { type: "text/csv" }), "${files[name]}")`
        : `form.append(${JSON.stringify(name)}, ${literal(value)})`,
    ),
    ...(options.length === 0
      ? [`const response = await fetch(${literal(url)})`]
      : [`const response = await fetch(${literal(url)}, {`, ...options.map((line) => `  ${line}`), "})"]),
    "console.log(response.status, await response.text())",
  ].join("\n")
}

const inPython = ({ form = [], headers, json, method, url }: Request): string => {
  const literal = (text: Text) => {
    const variable = onlyVariable(text)
    if (variable !== undefined) return `os.environ["${variable}"]`
    if (isPlain(text)) return JSON.stringify(textOf(text, String))
    return `f"${textOf(text, (name) => `{os.environ['${name}']}`)}"`
  }
  const fields = form.filter(([name]) => !(name in files))
  const sent = form.flatMap(([name]) =>
    name in files ? [`"${name}": ("${files[name]}", open("${files[name]}", "rb"), "text/csv")`] : [],
  )
  const dictionary = (name: string, entries: Request["headers"]) =>
    entries.length === 0
      ? []
      : [`${name}={`, ...entries.map(([key, value]) => `    ${JSON.stringify(key)}: ${literal(value)},`), "},"]
  const call = [
    `${literal(url)},`,
    ...dictionary("headers", headers),
    ...(json === undefined ? [] : `json=${pythonOf(json)},`.split("\n")),
    ...dictionary("data", fields),
    ...(sent.length === 0 ? [] : [`files={${sent.join(", ")}},`]),
  ]
  return [
    "import os",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    ...call.map((line) => `    ${line}`),
    ")",
    "print(response.status_code, response.text)",
  ].join("\n")
}

/** A JSON value in Python, which spells true, false and null differently. Strings are the same. */
const pythonOf = (value: unknown, indent = ""): string => {
  const inner = `${indent}    `
  const block = (open: string, items: ReadonlyArray<string>, close: string) =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value))
    return block(
      "[",
      value.map((item) => pythonOf(item, inner)),
      "]",
    )
  if (typeof value !== "object") return JSON.stringify(value)
  const entries = Object.entries(value as object)
  return block(
    "{",
    entries.map(([key, item]) => `${JSON.stringify(key)}: ${pythonOf(item, inner)}`),
    "}",
  )
}
