/** Inputs of the operations on FAQs. */
import { z } from "zod"
import { etag, Key, Name, notBlank, page, Search, visible, writable } from "./Fields.ts"

const readOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"]

const question = notBlank(2000).refine(...visible)
const answer = notBlank(20_000)
const optional = {
  name: Name.exactOptional(),
  category: notBlank(200)
    .refine(...visible)
    .exactOptional(),
}

export const NewFaq = writable({ question, answer, ...optional }, readOnly)
export const FaqChange = writable(
  { question: question.exactOptional(), answer: answer.exactOptional(), ...optional },
  readOnly,
)

export const FaqKey = z.strictObject({ id: Key })
export const FaqUpdate = FaqChange.extend({ id: Key, ...etag })
export const FaqList = z
  .strictObject({
    ...page(),
    category: z.string().exactOptional(),
    search: Search.exactOptional(),
    is_default: z.boolean().exactOptional(),
  })
  .prefault({})
