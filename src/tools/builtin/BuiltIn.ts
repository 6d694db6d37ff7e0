/** The inputs and results of every built-in tool. */
import type { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Disposition } from "../../domain/Disposition.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import type { CallControls } from "../CallControls.ts"
import type { ToolContext, ToolFailed } from "../ToolRunner.ts"

export interface BuiltInContext extends Omit<ToolContext, "invocation_id"> {
  readonly controls: CallControls
  /** The enablement's settings of this tool for this agent. */
  readonly config: Schema.JsonObject
  /** The FAQs that the agent has attached. */
  readonly faq_ids: ReadonlyArray<string>
  readonly outcome_schema: Schema.JsonObject | null
  readonly dispositions: ReadonlyArray<Disposition>
}

/**
 * The arguments were checked against the tool's schema. An account may have changed that schema, so the tool still
 * checks what it uses.
 */
export type BuiltIn = (
  args: Schema.JsonObject,
  context: BuiltInContext,
) => Effect.Effect<Schema.Json, ToolFailed, SqlClient.SqlClient | CurrentTenant>
