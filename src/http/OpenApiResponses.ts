/** The descriptions of responses in the OpenAPI document. The generator would only name the classes of the program. */

/** An error that the contract declares. */
export interface ContractProblem {
  readonly code: string
  readonly status: string
  readonly title: string
}

interface ProblemSchema {
  readonly properties?: Record<string, { readonly const?: unknown; readonly enum?: ReadonlyArray<unknown> }>
}

interface Reference {
  readonly $ref?: string
}

/** A response as the generator writes it. */
interface GeneratedResponse {
  readonly description: string
  readonly content?: Record<string, { readonly schema?: Reference & { readonly anyOf?: ReadonlyArray<Reference> } }>
}

type Schemas = Readonly<Record<string, object>>

const successes: Record<string, string> = {
  "200": "The request succeeded.",
  "201": "The resource was created.",
  "202": "The request was accepted. It continues in the background.",
  "204": "The request succeeded. The response has no body.",
}

/** Every problem that the contract declares. */
export const problemsIn = (schemas: Schemas): ReadonlyArray<ContractProblem> =>
  Object.values(schemas).flatMap((schema) => problemsOf(schema))

/** Describes each response: an error by its titles and codes, a success by its status. */
export const describeResponses = <R extends object>(responses: R, schemas: Schemas): R =>
  Object.fromEntries(
    Object.entries(responses as Record<string, GeneratedResponse>).map(([status, response]) => [
      status,
      { ...response, description: descriptionOf(status, response, schemas) },
    ]),
  ) as R

/** The codes of the problems that a response declares. */
export const codesOf = (response: object, schemas: Schemas): ReadonlyArray<string> =>
  problemsByClass(response as GeneratedResponse, schemas).flatMap((problems) => problems.map(({ code }) => code))

const problemsByClass = ({ content }: Pick<GeneratedResponse, "content">, schemas: Schemas) => {
  const { anyOf, ...single } = content?.["application/problem+json"]?.schema ?? {}
  return (anyOf ?? [single]).map(({ $ref }) => problemsOf(schemas[$ref?.split("/").at(-1) ?? ""] ?? {}))
}

const descriptionOf = (status: string, response: GeneratedResponse, schemas: Schemas): string => {
  const titles = problemsByClass(response, schemas).flatMap((problems) => {
    const [first] = problems
    return first === undefined ? [] : [`${first.title} (${problems.map(({ code }) => `\`${code}\``).join(", ")}).`]
  })
  return titles.length > 0 ? [...new Set(titles)].join(" ") : (successes[status] ?? response.description)
}

/** A problem's schema has constants for its status and title, and one or several codes. */
const problemsOf = (schema: ProblemSchema): ReadonlyArray<ContractProblem> => {
  const { code, status, title } = schema.properties ?? {}
  const [[statusText], [titleText]] = [constantsOf(status), constantsOf(title)]
  return statusText === undefined || titleText === undefined
    ? []
    : constantsOf(code).map((one) => ({ code: one, status: statusText, title: titleText }))
}

const constantsOf = (property: { readonly const?: unknown; readonly enum?: ReadonlyArray<unknown> } = {}) =>
  (property.enum ?? (property.const === undefined ? [] : [property.const])).map(String)
