/** The whole documented surface, group by group. Contract only; what it means for every group is annotated here once. */
import { HttpApi, OpenApi } from "effect/http-api"
import { FaqsApi } from "./FaqsApi.ts"

export class Api extends HttpApi.make("parley")
  .add(FaqsApi)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  // An unknown field is a 400 (decisions §2, Updates); unknown headers and query fields are not ours to judge.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(OpenApi.Title, "Parley")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(
    OpenApi.Description,
    "An open, multi-tenant voice-agent platform: agents that take part in phone calls, and campaigns that dial a contact list.",
  ) {}
