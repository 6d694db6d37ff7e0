/** Downloads, which a slow client reads for longer than its key, token, membership or account may last. */
import { Effect, Stream } from "effect"
import { Standing } from "../../identity/Standing.ts"

/**
 * Passes the bytes on until the sender of the request loses the right to them. The connection is then cut, because the
 * rest is missing.
 */
export const whileAdmitted = (bytes: Stream.Stream<Uint8Array>): Effect.Effect<Stream.Stream<Uint8Array>> =>
  Effect.map(Standing, (standing) =>
    Stream.interruptWhen(
      bytes,
      Effect.catch(standing, () => Effect.interrupt),
    ),
  )
