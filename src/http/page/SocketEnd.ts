/** Why the server closes a page's socket: the code of the close, and the last message to the page. */
import { Cause, Clock, Effect, Option } from "effect"
import { CapReached } from "../../domain/Cap.ts"
import type { ToSupervisor } from "../../domain/TakeoverMessage.ts"
import type { FromServer } from "../../domain/WidgetMessage.ts"
import { Api } from "../Api.ts"
import { TooManyStreams } from "../edge/OpenStreams.ts"
import * as RefusalProblems from "../edge/RefusalProblems.ts"
import { VisitorLimited } from "../edge/VisitorLimit.ts"

/**
 * RFC 6455, 7.4.1, and the codes that IANA added. `restarting`: the page connects again at once, and finds another
 * process.
 */
export const closing = { done: 1000, policy: 1008, tooBig: 1009, restarting: 1012, unavailable: 1013 } as const

export class SocketEnd {
  readonly code: number
  readonly message: FromServer | ToSupervisor | undefined
  constructor(code: number, message?: FromServer | ToSupervisor) {
    this.code = code
    this.message = message
  }
}

export const refuse = (code: string, detail: string, status: number = closing.policy) =>
  new SocketEnd(status, { type: "refused", code, detail })

/** Ends the socket with a refusal of the rooms, in the words of REST. */
export type Refuse = (cause: Cause.Cause<unknown>) => Effect.Effect<never, SocketEnd>

export const makeRefuse = (): Refuse => {
  const problemOf = RefusalProblems.make(Api)
  return Effect.fnUntraced(function* (cause) {
    const { code, detail } = yield* problemOf(cause)
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const now = yield* Clock.currentTimeMillis
    const isCounted = error instanceof CapReached || error instanceof VisitorLimited
    const wait = isCounted
      ? { retry_after_seconds: Math.max(1, Math.ceil((error.resets_at.getTime() - now) / 1_000)) }
      : {}
    const message: FromServer = { type: "refused", code, detail: detail ?? "", ...wait }
    const isTemporary = isCounted || error instanceof TooManyStreams
    return yield* Effect.fail(new SocketEnd(isTemporary ? closing.unavailable : closing.policy, message))
  })
}
