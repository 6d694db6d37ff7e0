/** The documented playbook endpoints (spec §4, decisions §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DisplayNameInput, NameInput, visible } from "../domain/Name.ts"
import { Flag, Page, pageQuery, Search } from "../domain/Page.ts"
import { Playbook, PlaybookCategory, playbookReadOnly } from "../domain/Playbook.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { description, prompt, tool_names } = Playbook.fields
const name = NameInput.annotate({ description: "Unique within the account. Paths accept it in place of the id." })
const category = PlaybookCategory.check(visible).annotate({
  description: "A label for grouping. A new playbook has `general` by default.",
})

const example = {
  name: "book_a_visit",
  prompt: 'Offer a visit. Ask {{first_name | default: "them"}} for a day, and book it with book_table.',
  tool_names: ["book_table"],
}

const NewPlaybook = writable(
  {
    name,
    prompt,
    display_name: Schema.optionalKey(
      DisplayNameInput.annotate({
        description: 'Defaults to `name` written as words: `book_table` becomes "Book table".',
      }),
    ),
    description: Schema.optionalKey(description),
    category: Schema.optionalKey(category),
    tool_names: Schema.optionalKey(tool_names),
  },
  playbookReadOnly,
).annotate({ identifier: "NewPlaybook", examples: [example] })

const PlaybookChange = writable(
  {
    name: Schema.optionalKey(name),
    prompt: Schema.optionalKey(prompt),
    display_name: Schema.optionalKey(DisplayNameInput.annotate({ description: "The name that the console shows." })),
    description: Schema.optionalKey(description),
    category: Schema.optionalKey(category),
    tool_names: Schema.optionalKey(tool_names),
  },
  playbookReadOnly,
).annotate({ identifier: "PlaybookChange", examples: [{ prompt: "Offer a visit, once." }] })

const byId = {
  id: Schema.String.annotate({ description: "The playbook's UUID or name.", examples: ["opt_out_manners"] }),
}

export class PlaybooksApi extends HttpApiGroup.make("playbooks")
  .add(
    HttpApiEndpoint.get("list", "/api/playbooks", {
      query: {
        ...pageQuery(),
        category: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
        search: Schema.optionalKey(Search),
        is_default: Schema.optionalKey(Flag),
      },
      success: Page(Playbook),
    })
      .annotate(OpenApi.Summary, "List playbooks")
      .annotate(
        OpenApi.Description,
        "Returns custom and built-in playbooks, newest first. `search` matches name, display_name and description.",
      ),
    HttpApiEndpoint.get("get", "/api/playbooks/:id", {
      params: byId,
      success: Tagged(Playbook),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a playbook")
      .annotate(OpenApi.Description, "Looks the playbook up by UUID or by name."),
    HttpApiEndpoint.post("create", "/api/playbooks", {
      payload: NewPlaybook,
      success: Created(Playbook),
      error: [Problems.invalid, Problems.nameTaken, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Create a playbook")
      .annotate(
        OpenApi.Description,
        "`prompt` is a Liquid template. `tool_names` may name tools that do not exist yet. When you attach the playbook to an agent, `missing_tools` lists those that the agent has not enabled.",
      ),
    HttpApiEndpoint.put("update", "/api/playbooks/:id", {
      params: byId,
      headers: ifMatch,
      payload: PlaybookChange,
      success: Tagged(Playbook),
      error: [Problems.invalid, Problems.notFound, Problems.nameTaken, Problems.preconditionFailed, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Change a playbook")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value. Changing a built-in playbook sets `modified_from_default`.",
      ),
    HttpApiEndpoint.delete("remove", "/api/playbooks/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.builtInProtected, Problems.inUse, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a playbook")
      .annotate(
        OpenApi.Description,
        "Deletes a custom playbook. A built-in playbook fails with 403 `built_in`, and a playbook that is attached to an agent with 409 `in_use`.",
      ),
  )
  .annotate(OpenApi.Title, "Playbooks")
  .annotate(OpenApi.Description, "Prompt fragments, each with the names of the tools that it needs.")
  .pipe(addAccountMiddleware) {}
