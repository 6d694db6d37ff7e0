/** The documented tool endpoints (spec §4, decisions §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DisplayNameInput, visible } from "../domain/Name.ts"
import { Flag, Page, pageQuery, Search } from "../domain/Page.ts"
import { ImplementationType, TagsInput, Tool, toolReadOnly } from "../domain/Tool.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { name, description, implementation_type, schema, implementation_config, implementation_code } = Tool.fields
const category = Tool.fields.category.check(visible)

const optional = {
  category: Schema.optionalKey(category),
  schema: Schema.optionalKey(schema),
  implementation_config: Schema.optionalKey(implementation_config),
  implementation_code: Schema.optionalKey(implementation_code),
  tags: Schema.optionalKey(TagsInput),
}

const parameters = {
  type: "object",
  properties: { day: { type: "string", format: "date" }, guests: { type: "integer", minimum: 1 } },
  required: ["day", "guests"],
}
const httpExample = {
  name: "book_table",
  description: "Books a table. Ask for the day and the number of guests first.",
  implementation_type: "http",
  schema: parameters,
  implementation_config: {
    url: "https://bookings.example.com/tables",
    method: "POST",
    authentication: { type: "bearer", token: "t0ken" },
  },
  tags: ["booking"],
}
const pythonExample = {
  name: "price_of",
  description: "Tells the price of a table for a number of guests.",
  implementation_type: "python",
  schema: { type: "object", properties: { guests: { type: "integer" } }, required: ["guests"] },
  implementation_code: 'def price_of(arguments, context):\n    return {"price": 25 * arguments["guests"]}\n',
}

const NewTool = writable(
  {
    name,
    description,
    implementation_type,
    display_name: Schema.optionalKey(
      DisplayNameInput.annotate({
        description: 'Defaults to `name` written as words: `book_table` becomes "Book table".',
      }),
    ),
    ...optional,
  },
  toolReadOnly,
).annotate({ identifier: "NewTool", examples: [httpExample, pythonExample] as never })

const ToolChange = writable(
  {
    name: Schema.optionalKey(name),
    description: Schema.optionalKey(description),
    implementation_type: Schema.optionalKey(implementation_type),
    display_name: Schema.optionalKey(DisplayNameInput.annotate({ description: "The name that the console shows." })),
    ...optional,
  },
  toolReadOnly,
).annotate({ identifier: "ToolChange", examples: [{ description: "Books a table for today or tomorrow." }] })

const byId = { id: Schema.String.annotate({ description: "The tool's UUID or name.", examples: ["end_call"] }) }

export class ToolsApi extends HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.get("list", "/api/tools", {
      query: {
        ...pageQuery(),
        category: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
        type: Schema.optionalKey(
          ImplementationType.annotate({ description: "Only tools with this `implementation_type`." }),
        ),
        search: Schema.optionalKey(Search),
        is_default: Schema.optionalKey(Flag),
      },
      success: Page(Tool),
    })
      .annotate(OpenApi.Summary, "List tools")
      .annotate(
        OpenApi.Description,
        "Returns custom and built-in tools, newest first. `search` matches name, display_name, description and tags.",
      ),
    HttpApiEndpoint.get("get", "/api/tools/:id", { params: byId, success: Tagged(Tool), error: Problems.notFound })
      .annotate(OpenApi.Summary, "Get a tool")
      .annotate(OpenApi.Description, "Looks the tool up by UUID or by name. Secrets are masked as `********`."),
    HttpApiEndpoint.post("create", "/api/tools", {
      payload: NewTool,
      success: Created(Tool),
      error: [Problems.invalid, Problems.nameTaken, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Create a tool")
      .annotate(
        OpenApi.Description,
        'A python tool requires `implementation_code`, which must define exactly one top-level function with two parameters: the arguments and a context. An http tool requires `implementation_config` with `url`; optional fields are `method` (default POST), `headers`, `timeout_ms` (default 10000, at most 60000) and `authentication`: `{"type":"none"}`, `{"type":"bearer","token"}`, `{"type":"basic","username","password"}` or `{"type":"header","name","value"}`, and `idempotent` (default false): whether the server acts only once on requests with the same `Idempotency-Key`. A header of the connection, such as `Host` or `Content-Length`, is refused, and so is a `Content-Type` that is not JSON. A GET tool sends its arguments in the query string; every other method sends them as a JSON body, and an `Idempotency-Key`: the `id` of the invocation, as in `tool_invocations` of the call, unless `headers` has that name. Such a request goes on when its call ends, and its result is added to the call. If the process of Parley is killed meanwhile, the request of an idempotent tool is sent again with the same key until it is answered; any other is recorded with the error `interrupted`, because it is not known whether it had taken effect. The server must have a public address, and redirects are not followed. A 2xx answer with JSON or text of at most 1 MiB is the result, or a sentence if the answer is not text; anything else is a failure of the tool. Secrets are encrypted at rest. `schema` is validated as JSON Schema 2020-12, or as the draft that its `$schema` names (2019-09, 07, 06 or 04). Its references may only point into the schema itself, by pointer, `$id` or anchor. Formats are checked. An input that takes longer than 2 s to check fails with 422 `too_costly`.',
      ),
    HttpApiEndpoint.put("update", "/api/tools/:id", {
      params: byId,
      headers: ifMatch,
      payload: ToolChange,
      success: Tagged(Tool),
      error: [
        Problems.invalid,
        Problems.notFound,
        Problems.nameTaken,
        Problems.inUse,
        Problems.invalidState,
        Problems.preconditionFailed,
        ...Problems.costly,
      ],
    })
      .annotate(OpenApi.Summary, "Change a tool")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value. `implementation_config` is replaced as a whole; a `********` in it keeps the stored secret. The name cannot change once an agent enables the tool or a playbook names it. Changing a built-in tool sets `modified_from_default`; its name and its implementation cannot change.",
      ),
    HttpApiEndpoint.delete("remove", "/api/tools/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.builtInProtected, Problems.inUse, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a tool")
      .annotate(
        OpenApi.Description,
        "Deletes a custom tool. A built-in tool fails with 403 `built_in`, and a tool that an agent enables or a playbook names with 409 `in_use`.",
      ),
  )
  .annotate(OpenApi.Title, "Tools")
  .annotate(OpenApi.Description, "Functions that an agent can invoke during a call.")
  .pipe(addAccountMiddleware) {}
