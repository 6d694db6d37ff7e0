/**
 * Brings supervisors' requests to the process that conducts the call, over a link (`cluster/Links.ts`), in three steps:
 * the request, the answer that it can be done, and a text that begins it. In between, the asking process writes what has
 * to be written first, such as the entry of the audit log.
 */
import { Data, Effect, Schedule, Schema, type Scope } from "effect"
import type { Link, LinkEnded } from "../../cluster/Link.ts"
import { Links } from "../../cluster/Links.ts"
import { Node } from "../../cluster/Node.ts"
import { CallElsewhere } from "../../domain/CallListener.ts"
import { isUuid } from "../../domain/Name.ts"
import * as CallLog from "../ledger/CallLog.ts"
import { type AskedCall, CallRefusal } from "./CallHere.ts"

/** A living process of this release or a later one answers at once. */
const answerLimit = "3 seconds"
/** A call may move to another process between reading its row and asking. */
const askAgain = { schedule: Schedule.spaced("250 millis"), times: 2 }

/** A kind of request, with what it sends and what is answered if it can be done. */
export interface Question<Opening, Ready> {
  readonly kind: string
  readonly opening: Schema.Codec<Opening, unknown>
  readonly ready: Schema.Codec<Ready, unknown>
}

/** The asked process is dead, does not answer, or does not have the call. */
class NotThere extends Data.TaggedError("NotThere") {}

const Answer = Schema.fromJsonString(
  Schema.Struct({
    ready: Schema.optionalKey(Schema.Unknown),
    refused: Schema.optionalKey(Schema.Struct({ detail: Schema.String, wait_ms: Schema.Finite })),
  }),
)
const encodeAnswer = Schema.encodeSync(Answer)
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

export type DistantCalls = Effect.Success<typeof make>

export const make = Effect.gen(function* () {
  const links = yield* Links
  const { findGone, id: self } = yield* Node

  /** Asks a process. The link is open until the scope closes. */
  const askNode = Effect.fnUntraced(function* <Opening, Ready>(
    { kind, opening, ready }: Question<Opening, Ready>,
    node: string,
    subject: Opening,
  ) {
    if (!isUuid(node) || node === self) return yield* new NotThere()
    // A socket without authentication can name any node, and a link to a dead node would count as open until its answer
    // times out.
    if ((yield* findGone([node])).size > 0) return yield* new NotThere()
    const sent = yield* Effect.orDie(Schema.encodeUnknownEffect(Schema.fromJsonString(opening))(subject))
    const { link, text } = yield* links.open(node, kind, sent).pipe(
      Effect.flatMap((link) => Effect.map(link.next, (text) => ({ link, text }))),
      Effect.timeout(answerLimit),
    )
    return { link, ready: yield* readAnswer(ready, text) }
  })

  return {
    askNode: <Opening, Ready>(question: Question<Opening, Ready>, node: string, subject: Opening) =>
      Effect.mapError(askNode(question, node, subject), (error) =>
        error instanceof CallRefusal ? error : new NotThere(),
      ),

    /** Asks the process that conducts the call. The link is open until the scope closes. */
    ask: <Opening extends AskedCall, Ready>(question: Question<Opening, Ready>, subject: Opening) =>
      CallLog.nodeOf(subject.call_id).pipe(
        Effect.flatMap((node) => askNode(question, node, subject)),
        Effect.retry({ ...askAgain, while: (error) => error instanceof NotThere }),
        Effect.mapError((error) => (error instanceof CallRefusal ? error : new CallElsewhere({ id: subject.call_id }))),
      ),

    /**
     * Answers requests of other processes. `begin` answers that the request can be done, and returns the text that
     * begins it.
     */
    serve: <Opening, Ready>(
      { kind, opening, ready }: Question<Opening, Ready>,
      answer: (
        subject: Opening,
        link: Link,
        begin: (answer: Ready) => Effect.Effect<string, LinkEnded>,
      ) => Effect.Effect<void, LinkEnded | CallRefusal | CallElsewhere, Scope.Scope>,
    ) =>
      links.serve(kind, (text, link) => {
        const begin = (answer: Ready) =>
          Schema.encodeUnknownEffect(ready)(answer).pipe(
            Effect.orDie,
            Effect.andThen((sent) => {
              link.say(encodeAnswer({ ready: sent }))
              return link.next
            }),
          )
        return Schema.decodeUnknownEffect(Schema.fromJsonString(opening))(text).pipe(
          Effect.flatMap((subject) => answer(subject, link, begin)),
          Effect.catchTags({
            CallRefusal: ({ detail, wait_ms }) =>
              Effect.sync(() => link.say(encodeAnswer({ refused: { detail, wait_ms } }))),
            CallElsewhere: () => Effect.sync(() => link.say(encodeAnswer({}))),
            // The request is one of a later release.
            SchemaError: () => Effect.sync(() => link.say(encodeAnswer({}))),
          }),
        )
      }),
  }
})

const readAnswer = Effect.fnUntraced(function* <Ready>(schema: Schema.Codec<Ready, unknown>, text: string) {
  const { ready, refused } = yield* decodeAnswer(text)
  if (refused !== undefined) return yield* new CallRefusal(refused)
  if (ready === undefined) return yield* new NotThere()
  return yield* Schema.decodeUnknownEffect(schema)(ready)
})
