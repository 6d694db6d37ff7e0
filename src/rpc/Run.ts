/**
 * What a procedure does with one call, as an Effect: it checks the caller, then the input, runs the room's function in
 * the caller's account, and encodes its answer. Every failure becomes the problem that REST would answer.
 */
import { Effect, type Schema, type Stream } from "effect"
import type { z } from "zod"
import { Invalid } from "../domain/Refusals.ts"
import { encoderOf } from "../offload/WideAnswer.ts"
import type { Caller, CallerServices, ProcedureWork, RequiredPermission, Rooms } from "./Caller.ts"
import { faultsOf, sentence } from "./inputs/Sentences.ts"
import type { Problem } from "./Problem.ts"

/**
 * The input, or its fault. It is read only after the caller was admitted, so that a stranger's input is never parsed.
 */
export type Sent = Effect.Effect<unknown, { readonly message: string }>

/** Everything that a call does, from its arrival to the encoded answer. */
export type Run<A = unknown> = (sent: Sent, caller: Caller, path: string) => Effect.Effect<A, Problem, Rooms>

/** An item of a subscription with its id, which a client that reconnects sends back. */
export type Item<A> = readonly [id: string, value: A]

/** Begins a subscription. Its encoded items end with a problem if the caller may no longer see them. */
export type Follow = Run<Stream.Stream<Item<unknown>, Problem, Rooms>>

/** An operation's answer on the wire. */
export type Answer<A, Wire> = Schema.Codec<A, Wire>

/** The room's function that does the work. */
export type Room<Input, A> = (input: Input, caller: Caller) => Effect.Effect<A, unknown, Rooms | CallerServices>

/** Checks the caller, then runs `work` in the caller's account. */
export const enter =
  <A>(needs: RequiredPermission, work: (raw: unknown, caller: Caller, path: string) => ProcedureWork<A>): Run<A> =>
  (sent, caller, path) =>
    caller
      .enter(
        needs,
        Effect.flatMap(sent, (raw) => work(raw, caller, path)),
      )
      .pipe(Effect.catchCause((cause) => Effect.flatMap(caller.problemOf(cause), Effect.fail)))

/** Checks the input, then runs `run` with it. */
export const checkInput =
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

/** Checks the input, runs the room's function and encodes its answer. */
export const encodeAnswer = <Input extends z.ZodType, A, Wire>(
  input: Input,
  answer: Answer<A, Wire>,
  run: Room<z.output<Input>, A>,
) => {
  const encode = encoderOf(answer)
  return checkInput(input, (value: z.output<Input>, caller) => Effect.flatMap(run(value, caller), encode))
}

/** Removes read-only fields that the client sent back. The schema has made them undefined. */
const withoutDropped = <Value>(value: Value): Value =>
  typeof value === "object" && value !== null && Object.values(value).includes(undefined)
    ? (Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value)
    : value
