/**
 * The references of one request through all layers: its id (in the log, every answer's header and every problem) and
 * its prefix.
 */
import { Context } from "effect"

export const RequestId = Context.Reference<string>("http/RequestId", { defaultValue: () => "-" })

/** The client's own id if it is well-formed. */
export const sane = (sent: string | undefined): string | undefined =>
  sent !== undefined && /^[\w.:-]{8,128}$/.test(sent) ? sent : undefined

/** `/hub-api` if the request came under it: paths in its answer are then under it too. */
export const PathPrefix = Context.Reference<string>("http/PathPrefix", { defaultValue: () => "" })
