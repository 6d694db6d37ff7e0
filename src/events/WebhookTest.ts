/**
 * Tests a webhook on request: sends one signed message that is not an event. The result is returned at once and not
 * stored.
 */
import { DateTime, Effect } from "effect"
import { v7 as uuidv7 } from "uuid"
import type { WebhookTrial } from "../domain/Webhook.ts"
import { keepOpen } from "../tenancy/OpenTransaction.ts"
import * as WebhookRequest from "./WebhookRequest.ts"
import * as Webhooks from "./Webhooks.ts"

/** The message has the form of an event, with a type and a number that no event ever has. */
export const send = Effect.fn("WebhookTest.send")(function* (webhook: string) {
  const { id, url } = yield* Webhooks.find(webhook)
  const message = {
    id: uuidv7(),
    seq: 0,
    type: "webhook.test",
    created_at: yield* DateTime.now,
    data: { webhook_id: id },
  }
  // With an Idempotency-Key a transaction is open, and an endpoint may take longer than one may be idle.
  return yield* Webhooks.signingSecrets(id).pipe(
    Effect.flatMap((secrets) => keepOpen(WebhookRequest.send(url, message.id, JSON.stringify(message), secrets))),
    Effect.map(({ duration_ms, error, excerpt, status_code }): WebhookTrial => ({
      status_code,
      error,
      duration_ms,
      response_excerpt: excerpt,
    })),
    Effect.catchTag("SecretUnreadable", ({ message: error }) => Effect.succeed({ ...unsent, error })),
  )
})

const unsent = { status_code: null, duration_ms: 0, response_excerpt: null }
