/** API keys and widget keys over the router: for an owner of the account to manage. */
import { ApiKey, ApiKeyWithText } from "../domain/ApiKey.ts"
import { Page } from "../domain/Page.ts"
import { WidgetKey, WidgetKeyWithText } from "../domain/WidgetKey.ts"
import * as ApiKeys from "../identity/ApiKeys.ts"
import * as WidgetKeys from "../identity/WidgetKeys.ts"
import { Nothing } from "./Answers.ts"
import * as Inputs from "./inputs/Keys.ts"
import { mutation, query, router } from "./Procedure.ts"

export const apiKeys = router({
  list: query("manage", Inputs.KeyList, Page(ApiKey), ApiKeys.list),
  create: mutation("manage", Inputs.NewApiKey, ApiKeyWithText, ApiKeys.create),
  remove: mutation("manage", Inputs.KeyToRemove, Nothing, ({ id }) => ApiKeys.remove(id)),
})

export const widgetKeys = router({
  list: query("manage", Inputs.KeyList, Page(WidgetKey), WidgetKeys.list),
  create: mutation("manage", Inputs.NewWidgetKey, WidgetKeyWithText, WidgetKeys.create),
  remove: mutation("manage", Inputs.KeyToRemove, Nothing, ({ id }) => WidgetKeys.remove(id)),
})
