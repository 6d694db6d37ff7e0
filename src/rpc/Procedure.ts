/**
 * The four kinds of procedure: query, mutation, unkeyed mutation and subscription. Each is declared by what it needs of
 * the caller, its input, its answer on the wire, and the room's function that does the work. tRPC runs a procedure as a
 * promise; code in a fiber (PlainCalls, SocketSession) runs the Effect in its meta. A closed tab interrupts the work.
 */
import {
  initTRPC,
  tracked,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCSubscriptionProcedure,
} from "@trpc/server"
import { Effect, Stream } from "effect"
import type { z } from "zod"
import { Standing } from "../identity/Standing.ts"
import { encoderOf, jsonBytes } from "../offload/WideAnswer.ts"
import type { Caller, CallerServices, RequiredPermission, Rooms } from "./Caller.ts"
import { answerTooLarge, errorOf, type Problem, problemIn, problemOfTrpc, shapeOf } from "./Problem.ts"
import {
  type Answer,
  checkInput,
  encodeAnswer,
  enter,
  type Follow,
  type Item,
  type Room,
  type Run,
  type Sent,
} from "./Run.ts"

/** A procedure's meta data. */
export interface Meta {
  readonly needs: RequiredPermission
  readonly input: z.ZodType
  /** The work of a query or a mutation. */
  readonly run?: Run
  /** The items of a subscription. */
  readonly follow?: Follow
}

/** As often as the heartbeat of REST's streams; a client that misses three connects again. */
const pingMs = 15_000

const t = initTRPC
  .context<Caller>()
  .meta<Meta>()
  .create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: pingMs }, client: { reconnectAfterInactivityMs: 3 * pingMs } },
    errorFormatter: ({ ctx, error, path }) => {
      const { code, ...own } = problemOfTrpc(error)
      const type = `https://parley.dev/problems/${code.replaceAll("_", "-")}`
      return shapeOf(problemIn(error) ?? { type, code, ...own, request_id: ctx?.request_id ?? "-" }, path)
    },
  })

export const router = t.router

/** What declares a query or a mutation. */
type Declaration<Input extends z.ZodType, A, Wire> = readonly [
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, NoInfer<A>>,
]

/** Declares a procedure that only reads. */
export const query = <Input extends z.ZodType, A, Wire>(
  ...[needs, input, answer, run]: Declaration<Input, A, Wire>
) => {
  const whole = enter(needs, encodeAnswer(input, answer, run))
  const procedure = t.procedure
    .meta({ needs, input, run: whole })
    .input(passUnchecked)
    .query(({ ctx, input: raw, path, signal }) =>
      toPromise(ctx, Effect.tap(whole(sentTo(ctx, raw), ctx, path), refuseLarge(ctx)), signal),
    )
  return procedure as unknown as TRPCQueryProcedure<{ input: z.input<Input>; output: Wire; meta: unknown }>
}

/** Declares a procedure that changes something. With an `Idempotency-Key` it does so once. */
export const mutation = <Input extends z.ZodType, A, Wire>(
  ...[needs, input, answer, run]: Declaration<Input, A, Wire>
) => {
  const doing = encodeAnswer(input, answer, run)
  const whole = enter(needs, (raw, caller, path) =>
    needs === "none" ? doing(raw, caller) : caller.once(path, raw, caller.audit(path, raw, doing(raw, caller))),
  )
  return makeMutation<Input, Wire>(needs, input, whole)
}

/**
 * Declares a mutation on which an `Idempotency-Key` has no effect, because a key runs it in a transaction. A trial of a
 * tool or an agent may take longer than a transaction may stay open, and changes nothing of the account. An erasure
 * deletes files after each of its own commits, and may be repeated.
 */
export const unkeyedMutation = <Input extends z.ZodType, A, Wire>(
  ...[needs, input, answer, run]: Declaration<Input, A, Wire>
) => {
  const doing = encodeAnswer(input, answer, run)
  const whole = enter(needs, (raw, caller, path) => caller.audit(path, raw, doing(raw, caller)))
  return makeMutation<Input, Wire>(needs, input, whole)
}

const makeMutation = <Input extends z.ZodType, Wire>(needs: RequiredPermission, input: Input, whole: Run) => {
  const procedure = t.procedure
    .meta({ needs, input, run: whole })
    .input(passUnchecked)
    .mutation(({ ctx, input: raw, path, signal }) => toPromise(ctx, whole(sentTo(ctx, raw), ctx, path), signal))
  return procedure as unknown as TRPCMutationProcedure<{ input: z.input<Input>; output: Wire; meta: unknown }>
}

/**
 * Declares a stream of items, which runs in two steps. First `follow` runs in the caller's account, as a query does,
 * and returns what to follow; a refusal is the procedure's answer. Then the account's database is released and the
 * items flow, until they end, the client leaves, or the caller loses the right to them. A client that reconnects sends
 * the id of its last item as `lastEventId`.
 */
export const subscription = <Input extends z.ZodType, A, Wire>(
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  follow: (
    input: z.output<Input>,
  ) => Effect.Effect<Stream.Stream<Item<A>, unknown, Rooms>, unknown, Rooms | CallerServices>,
) => {
  const begin = enter(
    needs,
    checkInput(input, (value) => Effect.zip(follow(value), Standing)),
  )
  const encode = encoderOf(answer)
  const whole: Follow = (sent, caller, path) =>
    Effect.map(begin(sent, caller, path), ([items, standing]) =>
      items.pipe(
        Stream.mapEffect(([id, value]) => Effect.map(encode(value), (data) => [id, data] as const)),
        Stream.interruptWhen(standing),
        Stream.catchCause((cause) => Stream.fromEffect(Effect.flatMap(caller.problemOf(cause), Effect.fail))),
      ),
    )
  const procedure = t.procedure
    .meta({ needs, input, follow: whole })
    .input(passUnchecked)
    .subscription(async ({ ctx, input: raw, path, signal }) =>
      toTrackedItems(ctx, await toPromise(ctx, whole(sentTo(ctx, raw), ctx, path), signal), signal),
    )
  type Output = AsyncIterable<{ id: string; data: Wire }, void>
  return procedure as unknown as TRPCSubscriptionProcedure<{ input: z.input<Input>; output: Output; meta: unknown }>
}

/** The items as tRPC sends them, until the client leaves. */
const toTrackedItems = (
  { context }: Caller,
  items: Stream.Stream<Item<unknown>, Problem, Rooms>,
  signal: AbortSignal | undefined,
) =>
  items.pipe(
    Stream.map(([id, data]) => tracked(id, data)),
    Stream.interruptWhen(awaitAbort(signal)),
    Stream.mapError(errorOf),
    (sent) => Stream.toAsyncIterableWith(sent, context),
  )

const awaitAbort = (signal: AbortSignal | undefined) =>
  Effect.callback<void>((resume) => {
    signal?.addEventListener("abort", () => resume(Effect.void), { once: true })
  })

/** The largest answer that tRPC itself writes, in bytes: it writes the answers of up to twenty calls at once. */
const mostByTrpc = 512 * 1024

const refuseLarge =
  ({ request_id }: Caller) =>
  (answer: unknown) =>
    Effect.flatMap(jsonBytes(answer, 2), ({ length }) =>
      length > mostByTrpc
        ? Effect.fail(
            answerTooLarge(
              request_id,
              "An answer of over 512 KiB is not streamed. Ask for a smaller page, or send the call without `trpc-accept` and as plain JSON.",
            ),
          )
        : Effect.void,
    )

/** The input that tRPC has already read. */
const sentTo = ({ fault }: Caller, raw: unknown): Sent =>
  fault === undefined ? Effect.succeed(raw) : Effect.fail(fault)

/**
 * Accepts every input. The input is checked after the caller, so that a client without a valid token learns of that
 * first.
 */
const passUnchecked = (raw: unknown): unknown => raw

const toPromise = async <A>(
  { context }: Caller,
  whole: Effect.Effect<A, Problem, Rooms>,
  signal: AbortSignal | undefined,
): Promise<A> => {
  const exit = await Effect.runPromiseExitWith(context)(whole, signal === undefined ? {} : { signal })
  if (exit._tag === "Success") return exit.value
  const [reason] = exit.cause.reasons
  throw reason?._tag === "Fail" ? errorOf(reason.error) : reason
}
