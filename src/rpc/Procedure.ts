/**
 * From a procedure to the room that does the work: the caller is permitted, the input fits, an Effect runs, its answer
 * is encoded and refused as in REST. A closed tab interrupts its work. tRPC runs the procedure as a promise; code in a
 * fiber (PlainCalls) runs the Effect in its meta.
 */
import {
  initTRPC,
  tracked,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCSubscriptionProcedure,
} from "@trpc/server"
import { Effect, type Schema, Stream } from "effect"
import type { z } from "zod"
import { Invalid } from "../domain/Refusals.ts"
import { Standing } from "../identity/Standing.ts"
import { encoderOf, jsonBytes } from "../offload/WideAnswer.ts"
import type { Caller, ProcedureWork, RequiredPermission, CallerServices, Rooms } from "./Caller.ts"
import { faultsOf, sentence } from "./inputs/Sentences.ts"
import { answerTooLarge, errorOf, type Problem, problemIn, problemOfTrpc, shapeOf } from "./Problem.ts"

/** The input, or its fault. Read only after the caller was admitted, so that a stranger's input is never parsed. */
export type Sent = Effect.Effect<unknown, { readonly message: string }>

/** Everything that a call does, from its arrival to the encoded answer. */
export type Run<A = unknown> = (sent: Sent, caller: Caller, path: string) => Effect.Effect<A, Problem, Rooms>

/** The encoded items of a subscription, each with its id. */
export type Follow = Run<Stream.Stream<Item<unknown>, Problem, Rooms>>

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

/** An operation's answer on the wire. */
type Answer<A, Wire> = Schema.Codec<A, Wire>

/** The room's function that does the work. */
type Room<Input, A> = (input: Input, caller: Caller) => Effect.Effect<A, unknown, Rooms | CallerServices>

/** Something that reads. */
export const query = <Input extends z.ZodType, A, Wire>(
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, NoInfer<A>>,
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

/** An operation that changes something; with an `Idempotency-Key`, once. */
export const mutation = <Input extends z.ZodType, A, Wire>(
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, NoInfer<A>>,
) => {
  const doing = encodeAnswer(input, answer, run)
  const whole = enter(needs, (raw, caller, path) =>
    needs === "none" ? doing(raw, caller) : caller.once(path, raw, caller.audit(path, raw, doing(raw, caller))),
  )
  return makeMutation<Input, Wire>(needs, input, whole)
}

/**
 * A trial of a tool or an agent. It may take longer than a transaction may stay open, and changes nothing of the
 * account, so an `Idempotency-Key` has no effect.
 */
export const trial = <Input extends z.ZodType, A, Wire>(
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, NoInfer<A>>,
) => {
  const doing = encodeAnswer(input, answer, run)
  const whole = enter(needs, (raw, caller, path) => caller.audit(path, raw, doing(raw, caller)))
  return makeMutation<Input, Wire>(needs, input, whole)
}

const makeMutation = <Input extends z.ZodType, Wire>(
  needs: RequiredPermission,
  input: Input,
  whole: ReturnType<typeof enter>,
) => {
  const procedure = t.procedure
    .meta({ needs, input, run: whole })
    .input(passUnchecked)
    .mutation(({ ctx, input: raw, path, signal }) => toPromise(ctx, whole(sentTo(ctx, raw), ctx, path), signal))
  return procedure as unknown as TRPCMutationProcedure<{ input: z.input<Input>; output: Wire; meta: unknown }>
}

/** A stream of numbered items. A client that reconnects continues after its last number. */
export const subscription = <Input extends z.ZodType, A, Wire>(
  needs: RequiredPermission,
  input: Input,
  answer: Answer<A, Wire>,
  follow: (
    input: z.output<Input>,
  ) => Effect.Effect<Stream.Stream<Item<A>, unknown, Rooms>, unknown, Rooms | CallerServices>,
) => {
  const encode = encoderOf(answer)
  // The account's database is released as soon as the items to follow are known.
  const begun = enter(
    needs,
    checkInput(input, (value) => Effect.zip(follow(value), Standing)),
  )
  const follows: Follow = (sent, caller, path) =>
    Effect.map(begun(sent, caller, path), ([items, lapsed]) =>
      items.pipe(
        Stream.mapEffect(([id, value]) => Effect.map(encode(value), (data) => [id, data] as const)),
        Stream.interruptWhen(lapsed),
        Stream.catchCause((cause) => Stream.fromEffect(Effect.flatMap(caller.problemOf(cause), Effect.fail))),
      ),
    )
  const procedure = t.procedure
    .meta({ needs, input, follow: follows })
    .input(passUnchecked)
    .subscription(async ({ ctx, input: raw, path, signal }) => {
      const items = await toPromise(ctx, follows(sentTo(ctx, raw), ctx, path), signal)
      const left = Effect.callback<void>((resume) => {
        signal?.addEventListener("abort", () => resume(Effect.void), { once: true })
      })
      const told = items.pipe(
        Stream.map(([id, data]) => tracked(id, data)),
        Stream.interruptWhen(left),
        Stream.mapError(errorOf),
      )
      return Stream.toAsyncIterableWith(told, ctx.context)
    })
  type Output = AsyncIterable<{ id: string; data: Wire }, void>
  return procedure as unknown as TRPCSubscriptionProcedure<{ input: z.input<Input>; output: Output; meta: unknown }>
}

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

type Item<A> = readonly [id: string, value: A]

/** The input that tRPC has already read. */
const sentTo = ({ fault }: Caller, raw: unknown): Sent =>
  fault === undefined ? Effect.succeed(raw) : Effect.fail(fault)

/** The input is checked after the caller, so that a stranger first learns of the token. */
const passUnchecked = (raw: unknown): unknown => raw

const checkInput =
  <Input extends z.ZodType, A, R>(
    schema: Input,
    run: (input: z.output<Input>, caller: Caller) => Effect.Effect<A, unknown, R>,
  ) =>
  (raw: unknown, caller: Caller): Effect.Effect<A, unknown, R> =>
    Effect.suspend(() => {
      const { data, error } = schema.safeParse(raw, { error: sentence })
      return error === undefined
        ? run(withoutDropped(data), caller)
        : Effect.fail(new Invalid({ errors: faultsOf(error) }))
    })

const encodeAnswer = <Input extends z.ZodType, A, Wire>(
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, A>,
) => {
  const encode = encoderOf(answer)
  return checkInput(input, (value: z.output<Input>, caller) => Effect.flatMap(run(value, caller), encode))
}

/** Removes read-only fields that the client sent back, which are undefined by now. */
const withoutDropped = <Value>(value: Value): Value =>
  typeof value === "object" && value !== null && Object.values(value).includes(undefined)
    ? (Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value)
    : value

/** Checks the caller, then runs the work; refusals have the form of REST's. */
const enter =
  <A>(needs: RequiredPermission, doing: (raw: unknown, caller: Caller, path: string) => ProcedureWork<A>): Run<A> =>
  (sent, caller, path) =>
    caller
      .enter(
        needs,
        Effect.flatMap(sent, (raw) => doing(raw, caller, path)),
      )
      .pipe(Effect.catchCause((cause) => Effect.flatMap(caller.problemOf(cause), Effect.fail)))

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
