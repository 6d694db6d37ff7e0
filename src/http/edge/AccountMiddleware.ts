/** The middleware of the groups that an account's clients read and change. */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Audited } from "./Audited.ts"
import { Authentication } from "./Authentication.ts"
import { StrictBody } from "./Body.ts"
import { Idempotent } from "./Idempotency.ts"
import { InvalidRequest } from "./InvalidRequest.ts"

/**
 * Puts the middleware around every endpoint of the group. They are added from the inside out, so a request passes them
 * from the last to the first: the caller is known before the body is read, the body is valid JSON before its key is
 * looked up, and an answer that is replayed leaves no second entry in the audit log.
 */
export const addAccountMiddleware = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints>,
) =>
  group
    .middleware(InvalidRequest)
    .middleware(Audited)
    .middleware(Idempotent)
    .middleware(StrictBody)
    .middleware(Authentication)
