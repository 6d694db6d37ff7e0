/** What one request carries through all layers: its id (in the log, every answer's header and every problem) and its prefix. */
import { Context } from "effect"

export const RequestId = Context.Reference<string>("http/RequestId", { defaultValue: () => "-" })

/** The client's own id when it is a sane one. */
export const sane = (sent: string | undefined): string | undefined =>
  sent !== undefined && /^[\w.:-]{8,128}$/.test(sent) ? sent : undefined

/** `/hub-api` when the request came under it: paths that an answer names then stand under it too. */
export const PathPrefix = Context.Reference<string>("http/PathPrefix", { defaultValue: () => "" })
