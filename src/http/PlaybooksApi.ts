/** The documented playbook endpoints (spec §4, decisions §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DisplayNameInput, NameInput, visible } from "../domain/Name.ts"
import { Flag, Page, pageQuery, Search } from "../domain/Page.ts"
import { Playbook, playbookReadOnly } from "../domain/Playbook.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { description, prompt, tool_names } = Playbook.fields
const name = NameInput.annotate({ description: "Unique; accepted in place of the id." })
const category = Playbook.fields.category.check(visible)

const example = {
  name: "book_a_visit",
  prompt: 'Offer a visit. Ask {{first_name | default: "them"}} for a day, and book it with book_table.',
  tool_names: ["book_table"],
}

const NewPlaybook = writable(
  {
    name,
    prompt,
    display_name: Schema.optionalKey(DisplayNameInput.annotate({ description: "The name in words if left out." })),
    description: Schema.optionalKey(description),
    category: Schema.optionalKey(category.annotate({ description: "`general` if left out." })),
    tool_names: Schema.optionalKey(tool_names),
  },
  playbookReadOnly,
).annotate({ identifier: "NewPlaybook", examples: [example] })

const PlaybookChange = writable(
  {
    name: Schema.optionalKey(name),
    prompt: Schema.optionalKey(prompt),
    display_name: Schema.optionalKey(DisplayNameInput),
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
      .annotate(OpenApi.Description, "Newest first. `search` looks into name, display_name and description."),
    HttpApiEndpoint.get("get", "/api/playbooks/:id", {
      params: byId,
      success: Tagged(Playbook),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a playbook")
      .annotate(OpenApi.Description, "By UUID or by name."),
    HttpApiEndpoint.post("create", "/api/playbooks", {
      payload: NewPlaybook,
      success: Created(Playbook),
      error: [Problems.invalid, Problems.nameTaken, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Create a playbook")
      .annotate(
        OpenApi.Description,
        "`prompt` is a Liquid template. `tool_names` may name tools that do not exist yet; attaching tells which of them the agent lacks.",
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
        "Fields left out keep their value. A shipped one then reports `modified_from_default`.",
      ),
    HttpApiEndpoint.delete("remove", "/api/playbooks/:id", {
      params: byId,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.builtInProtected, Problems.inUse],
    })
      .annotate(OpenApi.Summary, "Delete a playbook")
      .annotate(OpenApi.Description, "Custom ones only, and none that an agent has attached."),
  )
  .annotate(OpenApi.Title, "Playbooks")
  .annotate(OpenApi.Description, "Fragments of a prompt, each with the names of the tools it needs.")
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
