/**
 * Checks whether a webhook's URL may be stored, so that its faults are reported when it is written and not at the first
 * event.
 */
import { Effect, Option } from "effect"
import { invalid } from "../domain/Refusals.ts"
import { AddressGuard } from "../outbound/AddressGuard.ts"

/**
 * The time limit for resolving the name, so that a slow name server does not hold up the request. The address is
 * checked again before every attempt.
 */
const resolvedWithin = "2 seconds"

export const check = Effect.fn("WebhookUrl.check")(function* (text: string, plainHttp: boolean) {
  const fault = faultOf(text, plainHttp)
  if (fault !== undefined) return yield* invalid("/url", fault)
  const guard = yield* AddressGuard
  const admitted = yield* guard.admit(text).pipe(
    // A name that does not resolve now may resolve later.
    Effect.catchTag("HostUnreachable", () => Effect.void),
    Effect.timeoutOption(resolvedWithin),
    Effect.as("admitted" as const),
    Effect.catchTag("AddressRefused", () => Effect.succeed("refused" as const)),
  )
  if (admitted === "refused") {
    return yield* invalid(
      "/url",
      "leads to a private, local or reserved address; events are sent only to public addresses",
    )
  }
})

const faultOf = (text: string, plainHttp: boolean): string | undefined => {
  const url = Option.fromNullishOr(URL.parse(text))
  if (Option.isNone(url)) return "must be a URL"
  const { hash, password, protocol, username } = url.value
  if (protocol !== "https:" && !(plainHttp && protocol === "http:")) {
    return plainHttp ? "must be an https or http URL" : "must be an https URL"
  }
  if (username !== "" || password !== "") return "must not contain a password; deliveries are signed"
  if (hash !== "") return "must not have a fragment"
  return undefined
}
