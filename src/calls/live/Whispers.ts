/** Passes supervisors' instructions to the agents of live calls, in this process or another. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { authorOf, VersionAuthor } from "../../domain/AgentVersion.ts"
import type { Call } from "../../domain/Call.ts"
import { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import * as RateAllowance from "../../domain/RateAllowance.ts"
import type { InvalidState, NotFound } from "../../domain/Refusals.ts"
import { type NewWhisper, type Whispered, whispersAMinute, WhisperLimited } from "../../domain/Whisper.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { type AnsweredCall, AskedCall, CallRefusal, findHere, findLive, refuse, toInvalidState } from "./CallHere.ts"
import * as DistantCalls from "./DistantCalls.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How many calls' whispers are counted; beyond that the oldest call is forgotten. */
const remembered = 10_000

/** Gives the text to the agent. */
type Give = (whisper: Whispered) => Effect.Effect<void, CallRefusal | CallElsewhere>

const whispering: DistantCalls.Question<AskedCall, object> = {
  kind: "whisper",
  opening: AskedCall,
  ready: Schema.Struct({}),
}
/** The text that begins a whisper, and the answer that the agent got it. */
const Given = Schema.fromJsonString(Schema.Struct({ text: Schema.String, by: VersionAuthor }))
const given = "given"

export class Whispers extends Context.Service<
  Whispers,
  {
    /** Gives the text to the agent for its next reply. Returns the call. */
    readonly whisper: (
      id: string,
      whisper: NewWhisper,
    ) => Effect.Effect<
      Call,
      NotFound | InvalidState | CallElsewhere | WhisperLimited,
      SqlClient.SqlClient | CurrentTenant | CurrentPrincipal
    >
  }
>()("calls/live/Whispers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const distant = yield* DistantCalls.make
      const allowance = RateAllowance.make(whispersAMinute, remembered)

      /** Counts a whisper of a call of this process. */
      const admitHere = Effect.fnUntraced(function* ({ id, record }: AnsweredCall) {
        if (record.whisper === null) return yield* refuse("The talk is ending.")
        const wait_ms = allowance.take(id, yield* Clock.currentTimeMillis)
        if (wait_ms > 0) return yield* new CallRefusal({ detail: "Too many instructions.", wait_ms })
        return (whisper: Whispered) =>
          Effect.suspend(() => {
            if (record.whisper === null) return Effect.fail(refuse("The talk is ending."))
            record.whisper(whisper)
            return Effect.void
          })
      })
      const admitElsewhere = (asked: AskedCall) =>
        Effect.map(distant.ask(whispering, asked), ({ link }): Give => (whisper) => {
          link.say(Schema.encodeUnknownSync(Given)(whisper))
          return link.next.pipe(
            Effect.mapError(() => new CallElsewhere({ id: asked.call_id })),
            Effect.filterOrElse(
              (answer) => answer === given,
              (answer) => Effect.fail(refuse(answer)),
            ),
            Effect.asVoid,
          )
        })
      yield* distant.serve(
        whispering,
        Effect.fnUntraced(function* (asked, link, begin) {
          const give = yield* admitHere(yield* findHere(live, asked))
          const whisper = yield* Effect.orDie(Schema.decodeUnknownEffect(Given)(yield* begin({})))
          const answer = yield* Effect.match(give(whisper), {
            onFailure: ({ detail }) => detail,
            onSuccess: () => given,
          })
          link.say(answer)
        }),
      )

      return {
        whisper: Effect.fn("Calls.whisper")(function* (id: string, { text }: NewWhisper) {
          const { asked, call } = yield* findLive(id)
          const by = authorOf(yield* CurrentPrincipal)
          return yield* Effect.gen(function* () {
            const give: Give = yield* findHere(live, asked).pipe(
              Effect.flatMap(admitHere),
              Effect.catchTag("CallElsewhere", () => admitElsewhere(asked)),
            )
            // Before the agent gets it, so that no instruction is without an entry.
            yield* Effect.orDie(AuditTrail.write())
            yield* give({ text, by })
            return call
          }).pipe(Effect.catchTag("CallRefusal", toAnswer(call)), Effect.scoped)
        }),
      }
    }),
  )
}

const toAnswer =
  (call: Call) =>
  (refusal: CallRefusal): Effect.Effect<never, InvalidState | WhisperLimited> => {
    if (refusal.wait_ms === 0) return Effect.fail(toInvalidState(call)(refusal))
    const limit = { limit: whispersAMinute, used: whispersAMinute }
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.fail(new WhisperLimited({ ...limit, resets_at: new Date(now + refusal.wait_ms) })),
    )
  }
