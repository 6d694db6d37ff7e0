/** The documented endpoints of the rule packs (decision 0076). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Page, pageQuery } from "../domain/Page.ts"
import { RulePack } from "../domain/RulePack.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"

export class RulePacksApi extends HttpApiGroup.make("rule-packs")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/rule-packs", { query: pageQuery(), success: Page(RulePack) })
      .annotate(OpenApi.Summary, "List the rule packs")
      .annotate(
        OpenApi.Description,
        "Returns the packs of this installation by id. They are the same for each account. A campaign chooses packs with `rule_packs`.",
      ),
    HttpApiEndpoint.get("get", "/api/v1/rule-packs/:id", {
      params: { id: Schema.String.annotate({ description: "The pack's id.", examples: ["us-florida"] }) },
      success: RulePack,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a rule pack")
      .annotate(OpenApi.Description, "Returns the pack with each rule, its source, and whether Parley checks it."),
  )
  .annotate(OpenApi.Title, "Rule packs")
  .annotate(
    OpenApi.Description,
    "Rules that come from law, as data: calling hours, holidays, frequency caps, number series, and duties. The shipped packs are templates that have to be reviewed. They are not legal advice, and Parley checks only rules with `checked: true`.",
  )
  .pipe(addAccountMiddleware) {}
