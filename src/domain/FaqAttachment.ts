/** An agent's use of a FAQ. */
import { Schema } from "effect"
import { FaqId } from "./Faq.ts"
import { Name } from "./Name.ts"

export const FaqAttachment = Schema.Struct({ faq_id: FaqId, name: Name }).annotate({ identifier: "FaqAttachment" })
export type FaqAttachment = typeof FaqAttachment.Type
