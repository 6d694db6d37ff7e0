/** An agent's use of an FAQ. */
import { Schema } from "effect"
import { FaqId } from "./Faq.ts"
import { Name } from "./Name.ts"

export const FaqAttachment = Schema.Struct({
  faq_id: FaqId.annotate({ description: "The FAQ that the agent can look up." }),
  name: Name.annotate({ description: "The FAQ's name." }),
}).annotate({ identifier: "FaqAttachment" })
export type FaqAttachment = typeof FaqAttachment.Type
