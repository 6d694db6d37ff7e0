/**
 * Limits the open streams and sockets: of each account, of its visitors, and of each address without a valid
 * credential.
 */
import { Config, Context, Effect, Layer, Schema, type Scope } from "effect"
import { HttpServerResponse, ProblemDetails } from "effect/http"
import { limitFields } from "../../domain/Refusals.ts"
import { networkOf } from "./ClientAddress.ts"
import { asProblem } from "./Problem.ts"

export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {
  held_by: Schema.Literals(["account", "visitors", "address"]).annotate({
    description: "What the open streams and sockets belong to.",
  }),
  limit: limitFields.limit,
  used: limitFields.used,
}) {
  /** Within the 123 bytes that the reason of a WebSocket's close may have. */
  override get message() {
    if (this.held_by === "visitors")
      return `${this.used} visitors are connected, which is the maximum. Try again in a minute.`
    return `This ${this.held_by} has ${this.used} streams and sockets open, the maximum. Close some, then connect again.`
  }
}
export const tooManyStreams = TooManyStreams.pipe(
  asProblem({ status: 429, code: "too_many_streams", title: "Too many open streams" }),
)

/** The refusal as a response, for routes outside of the contract. */
export const refuseStream = (refusal: TooManyStreams) =>
  Effect.map(Effect.orDie(Schema.encodeUnknownEffect(tooManyStreams)(refusal)), (body) =>
    HttpServerResponse.jsonUnsafe(body, { status: body.status, contentType: ProblemDetails.contentType }),
  )

/** Releases the place before the scope does; calling it again has no effect. */
type GiveBack = () => void

type Open = Effect.Effect<GiveBack, TooManyStreams, Scope.Scope>

const Most = Schema.Int.check(Schema.isGreaterThan(0))

export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Takes one of the account's places until the scope closes. */
    readonly openForAccount: (slug: string) => Open
    /**
     * Takes one of the places of the account's visitors, which are separate, so that visitors take none from its
     * members.
     */
    readonly openForVisitor: (slug: string) => Open
    /** The same for a client that has not shown a valid token. */
    readonly openForAddress: (address: string | undefined) => Open
  }
>()("http/OpenStreams") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const perAccount = yield* Config.schema(Most, "PARLEY_STREAMS_PER_ACCOUNT").pipe(Config.withDefault(200))
      const perVisitors = yield* Config.schema(Most, "PARLEY_WIDGET_SOCKETS_PER_ACCOUNT").pipe(
        Config.withDefault(1_000),
      )
      const perAddress = yield* Config.schema(Most, "PARLEY_STREAMS_PER_ADDRESS").pipe(Config.withDefault(200))

      const makeOpen = (held_by: TooManyStreams["held_by"], limit: number) => {
        const open = new Map<string, number>()
        const take = (holder: string) =>
          Effect.suspend(() => {
            const used = open.get(holder) ?? 0
            if (used >= limit) return Effect.fail(new TooManyStreams({ held_by, limit, used }))
            open.set(holder, used + 1)
            let isHeld = true
            return Effect.succeed(() => {
              if (!isHeld) return
              isHeld = false
              const left = (open.get(holder) ?? 1) - 1
              if (left === 0) open.delete(holder)
              else open.set(holder, left)
            })
          })
        return (holder: string): Open => Effect.acquireRelease(take(holder), (giveBack) => Effect.sync(giveBack))
      }
      const openForAddress = makeOpen("address", perAddress)
      return {
        openForAccount: makeOpen("account", perAccount),
        openForVisitor: makeOpen("visitors", perVisitors),
        openForAddress: (address) => openForAddress(networkOf(address)),
      }
    }),
  )
}
