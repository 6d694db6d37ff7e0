/** One question, one answer, one category, which an agent can look up in a call (spec §2, decisions §2). */
import { Schema } from "effect"
import { isUuid, Name, NameInput, visible } from "./Name.ts"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"

export const FaqId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("FaqId"))
export type FaqId = typeof FaqId.Type

const Question = Schema.String.check(
  Schema.isPattern(/\S/u, { message: "must not be empty" }),
  Schema.isMaxLength(2000),
).annotate({ description: "The question. An agent finds the FAQ by comparing it with the caller's words." })
const Answer = Schema.String.check(
  Schema.isPattern(/\S/u, { message: "must not be empty" }),
  Schema.isMaxLength(20_000),
).annotate({
  description: "A Liquid template. It is filled with the call's variables when the agent looks it up.",
})
const Category = Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" }), Schema.isMaxLength(200))

const category = { description: "A label for grouping. Lists can be filtered by it." }

export const Faq = Schema.Struct({
  id: FaqId.annotate({ description: "The FAQ's UUID, assigned by Parley." }),
  name: Name.annotate({ description: "Unique within the account. Paths accept it in place of the id." }),
  question: Question,
  answer: Answer,
  category: Category.annotate(category),
  is_default: Schema.Boolean.annotate({
    description: "True for a built-in FAQ. It can be changed but not deleted.",
  }),
  modified_from_default: Schema.Boolean.annotate({ description: "True if the account has changed this built-in FAQ." }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "Faq", title: "FAQ" })
export type Faq = typeof Faq.Type

/** The fields that a client may write. */
export const FaqFields = {
  name: NameInput.annotate({ description: "Unique within the account. Paths accept it in place of the id." }),
  question: Question.check(visible),
  answer: Answer,
  category: Category.check(visible).annotate(category),
}
export const faqReadOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"] as const

/**
 * `What are your opening hours?` → `what-are-your-opening-hours`: the name of an FAQ that is created without one.
 * Always a valid name: a question that has no letters or digits gives `faq`, and one that is a UUID gets `faq-` before
 * it.
 */
export const nameFrom = (question: string): string => {
  const slug = question
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 80)
    .replace(/-+$/, "")
  if (slug === "") return "faq"
  return isUuid(slug) ? `faq-${slug}` : slug
}
