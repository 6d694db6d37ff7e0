/** The documented FAQ endpoints (spec §4, decisions §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Faq, FaqFields, faqReadOnly } from "../domain/Faq.ts"
import { Flag, Page, pageQuery, Search } from "../domain/Page.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const example = {
  question: "What are your opening hours?",
  answer: "Monday to Friday, nine to five.",
  category: "visits",
}

const NewFaq = writable(
  {
    question: FaqFields.question,
    answer: FaqFields.answer,
    name: Schema.optionalKey(FaqFields.name.annotate({ description: "Defaults to a slug made from the question." })),
    category: Schema.optionalKey(FaqFields.category.annotate({ description: "Defaults to `general`." })),
  },
  faqReadOnly,
).annotate({ identifier: "NewFaq", examples: [example] })

const FaqChange = writable(
  {
    name: Schema.optionalKey(FaqFields.name),
    question: Schema.optionalKey(FaqFields.question),
    answer: Schema.optionalKey(FaqFields.answer),
    category: Schema.optionalKey(FaqFields.category),
  },
  faqReadOnly,
).annotate({ identifier: "FaqChange", examples: [{ answer: "Monday to Saturday, nine to five." }] })

const byId = { id: Schema.String.annotate({ description: "The FAQ's UUID or name.", examples: ["opening-hours"] }) }

export class FaqsApi extends HttpApiGroup.make("faqs")
  .add(
    HttpApiEndpoint.get("list", "/api/faqs", {
      query: {
        ...pageQuery(),
        category: Schema.optionalKey(Schema.String),
        search: Schema.optionalKey(Search),
        is_default: Schema.optionalKey(Flag),
      },
      success: Page(Faq),
    })
      .annotate(OpenApi.Summary, "List FAQs")
      .annotate(
        OpenApi.Description,
        "Returns custom and built-in FAQs, newest first. `search` matches name, question, answer and category.",
      ),
    HttpApiEndpoint.get("get", "/api/faqs/:id", { params: byId, success: Tagged(Faq), error: Problems.notFound })
      .annotate(OpenApi.Summary, "Get a FAQ")
      .annotate(OpenApi.Description, "Looks the FAQ up by UUID or by name."),
    HttpApiEndpoint.post("create", "/api/faqs", {
      payload: NewFaq,
      success: Created(Faq),
      error: Problems.nameTaken,
    })
      .annotate(OpenApi.Summary, "Create a FAQ")
      .annotate(
        OpenApi.Description,
        "Creates one question and its answer. An agent can look it up once it is attached to the agent.",
      ),
    HttpApiEndpoint.put("update", "/api/faqs/:id", {
      params: byId,
      headers: ifMatch,
      payload: FaqChange,
      success: Tagged(Faq),
      error: [Problems.notFound, Problems.nameTaken, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Change a FAQ")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value. Changing a built-in FAQ sets `modified_from_default`.",
      ),
    HttpApiEndpoint.delete("remove", "/api/faqs/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.builtInProtected, Problems.inUse, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a FAQ")
      .annotate(
        OpenApi.Description,
        "Deletes a custom FAQ. A built-in FAQ fails with 403 `built_in`, and a FAQ that is attached to an agent with 409 `in_use`.",
      ),
  )
  .annotate(OpenApi.Title, "FAQs")
  .annotate(OpenApi.Description, "Question and answer entries that an agent can look up during a call.")
  // Middleware is added from the inside out: a bad token is refused before a bad body (decisions §2, order of checks).
  .pipe(addAccountMiddleware) {}
