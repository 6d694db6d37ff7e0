/**
 * Sends the requests of tools that may change something, so that none is lost or doubled. A request is noted before it
 * is sent, goes on when its call ends, and its result joins the call's record (decision 0070). What a dead process
 * leaves is found by the sweep of its accounts (`RecoverySweep`).
 */
import { Clock, Context, Deferred, type Duration, Effect, FiberSet, Layer, Random, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as AgentKit from "../../catalog/AgentKit.ts"
import { Node } from "../../cluster/Node.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId, ToolFailure, ToolInvocation } from "../../domain/Call.ts"
import { isObject } from "../../domain/JsonValue.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { none } from "../../tools/CallControls.ts"
import * as Invocation from "../../tools/Invocation.ts"
import type { ToolFailed, ToolRunner } from "../../tools/ToolRunner.ts"
import { InAccount } from "../live/InAccount.ts"
import * as ToolRequestRows from "./ToolRequestRows.ts"

/** A request that cannot be noted within this time is not sent. */
const notedWithin = "5 seconds"
/** A result that cannot be written for this long is left to the next process. */
const writeRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.upTo({ duration: "10 minutes" }),
)
/** How long a stopping process waits for its requests. The next process settles the others. */
const finishesWithin = "10 seconds"
/** A request of this process that no fiber sends this long after it was noted is lost. */
const begunWithinMs = 30_000
/** After the last attempt, the failure is the result. The pause before each retry is three times the one before. */
const mostAttempts = 6
const firstRetryMs = 5_000
/** A request is not sent again after this time: a server may have forgotten its key. Many keep keys for a day. */
const longestRepeatMs = 12 * 3_600_000
/** How often the requests of a call are read until they have answers. */
const checkEvery = "250 millis"

const interrupted: ToolFailure = {
  code: "interrupted",
  message: "It was interrupted; whether it had taken effect is not known",
}

interface Work {
  readonly send: Effect.Effect<ToolInvocation, never, ToolRunner | CurrentTenant | SqlClient.SqlClient>
  /** The invocation as it may be kept. */
  readonly toKept: (done: ToolInvocation) => Effect.Effect<ToolInvocation>
}

export class ToolRequests extends Context.Service<
  ToolRequests,
  {
    /**
     * Notes the request, and then sends it. Interrupting the returned effect does not interrupt the request. If it
     * could not be noted, it is not sent, and that is the result.
     */
    readonly run: (
      tenant: AccountEntry,
      request: ToolRequestRows.NewRequest,
      work: Work,
    ) => Effect.Effect<ToolInvocation>
    /**
     * Waits for the requests of a call that another process began, and returns their results, oldest first. A request
     * without an answer in time counts as interrupted.
     */
    readonly awaitAll: (
      tenant: AccountEntry,
      call: CallId,
      patience: Duration.Input,
    ) => Effect.Effect<ReadonlyArray<ToolInvocation>>
    /** Adds results to the records of ended calls, and settles the requests of dead processes. */
    readonly settle: Effect.Effect<void, never, CurrentTenant | SqlClient.SqlClient>
    /** The accounts with requests that are not settled yet. */
    readonly unsettled: () => ReadonlySet<AccountSlug>
  }
>()("calls/requests/ToolRequests") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const inAccount = yield* InAccount
      const node = yield* Node
      /** The requests that fibers of this process send, by id. */
      const running = new Set<string>()
      const unsettled = new Set<AccountSlug>()
      const fibers = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(fibers).pipe(Effect.interruptible, Effect.timeoutOption(finishesWithin)),
      )
      // Fibers run in the layer's own context: they must not inherit a transaction.
      const start = yield* FiberSet.runtime(fibers)()
      const startAs = (id: string, { account }: AccountEntry, program: Effect.Effect<void>) => {
        running.add(id)
        unsettled.add(account.slug)
        const leave = Effect.sync(() => void running.delete(id))
        start(program.pipe(Effect.ensuring(leave), Effect.annotateLogs({ account: account.slug, request: id })))
      }
      const write = writerOf(inAccount)

      /** Notes and sends a request, and passes its result to `done`. Returns whether the call still waits for it. */
      const noteAndSend = Effect.fnUntraced(function* (
        tenant: AccountEntry,
        request: ToolRequestRows.NewRequest,
        { send, toKept }: Work,
        done: (invocation: ToolInvocation) => boolean,
      ) {
        const enter = Effect.provideService(node.enter, CurrentTenant, tenant)
        const noted = yield* Effect.flatMap(enter, (id) => inAccount(tenant)(ToolRequestRows.begin(id, request))).pipe(
          Effect.timeout(notedWithin),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning("a tool's request could not be noted", cause), false),
          ),
        )
        if (!noted) {
          done(yield* unsent(request))
          // The note may have been written, and only its confirmation lost.
          return yield* write(tenant, ToolRequestRows.forget(request.id))
        }
        const invocation = yield* inAccount(tenant)(send).pipe(
          Effect.catchDefect((defect) =>
            Effect.andThen(Effect.logError("a tool's request failed by a defect", defect), unsent(request)),
          ),
        )
        yield* write(tenant, ToolRequestRows.answer(request.id, 1, yield* toKept(invocation)))
        if (!done(invocation)) yield* write(tenant, ToolRequestRows.deliver)
      })

      return {
        run: (tenant, request, work) =>
          Effect.suspend(() => {
            const ended = Deferred.makeUnsafe<ToolInvocation>()
            let isAwaited = true
            const done = (invocation: ToolInvocation) => {
              Deferred.doneUnsafe(ended, Effect.succeed(invocation))
              return isAwaited
            }
            startAs(request.id, tenant, noteAndSend(tenant, request, work, done))
            return Effect.onInterrupt(Deferred.await(ended), () => Effect.sync(() => void (isAwaited = false)))
          }),
        awaitAll: (tenant, call, patience) => awaitAll(inAccount(tenant), call, patience),
        settle: makeSettle({ node, running, unsettled, startAs, write, inAccount }),
        unsettled: () => unsettled,
      }
    }),
  )
}

type Write = <E>(tenant: AccountEntry, statement: Effect.Effect<unknown, E, SqlClient.SqlClient>) => Effect.Effect<void>

/** Runs a statement until it succeeds, for a while. */
const writerOf =
  (inAccount: InAccount["Service"]): Write =>
  (tenant, statement) =>
    inAccount(tenant)(Effect.orDie(statement)).pipe(
      Effect.sandbox,
      Effect.retry(writeRetry),
      Effect.catch((cause) => Effect.logWarning("writing a tool's request failed", cause)),
      Effect.asVoid,
    )

const unsent = ({ arguments: args, id, tool_name }: ToolRequestRows.NewRequest) =>
  Effect.map(Clock.currentTimeMillis, (now): ToolInvocation => ({
    id,
    tool_name,
    arguments: args,
    error: { code: "tool_failed", message: `${tool_name} failed` },
    started_at: new Date(now),
    duration_ms: 0,
  }))

const awaitAll = Effect.fnUntraced(function* (
  within: ReturnType<InAccount["Service"]>,
  call: CallId,
  patience: Duration.Input,
) {
  const found = Effect.orDie(within(ToolRequestRows.findOf(call)))
  const areAnswered = (rows: ReadonlyArray<ToolRequestRows.Settled>) => rows.every(({ answer }) => answer !== null)
  const all = yield* found.pipe(
    Effect.repeat({ schedule: Schedule.spaced(checkEvery), until: areAnswered }),
    Effect.timeoutOrElse({ duration: patience, orElse: () => found }),
  )
  const now = yield* Clock.currentTimeMillis
  return all.flatMap((row) => {
    const { answer, began_at } = row
    const settled = answer === null ? { answer: { error: interrupted }, duration_ms: now - began_at.getTime() } : {}
    return ToolRequestRows.toInvocation({ ...row, ...settled }) ?? []
  })
})

interface Settling {
  readonly node: Node["Service"]
  readonly running: ReadonlySet<string>
  readonly unsettled: Set<AccountSlug>
  readonly startAs: (id: string, tenant: AccountEntry, program: Effect.Effect<void>) => void
  readonly write: Write
  readonly inAccount: InAccount["Service"]
}

/** Returns the effect that settles what can be settled of the current account. */
const makeSettle = ({ inAccount, node, running, startAs, unsettled, write }: Settling) => {
  /** Sends a dead process's request again, under the same key. */
  const repeat = Effect.fnUntraced(function* (tenant: AccountEntry, open: ToolRequestRows.Open) {
    const attempts = open.attempts + 1
    const sent = yield* inAccount(tenant)(Effect.result(sendAgain(open, tenant)))
    if (sent._tag === "Failure" && sent.failure?.is_transient === true && attempts < mostAttempts) {
      const pauseMs = firstRetryMs * 3 ** (attempts - 2) * (yield* Random.nextBetween(0.5, 1))
      return yield* write(tenant, ToolRequestRows.postpone(open.id, attempts, pauseMs))
    }
    const answer =
      sent._tag === "Success"
        ? { result: sent.success.result }
        : { error: sent.failure === null ? interrupted : { code: sent.failure.code, message: sent.failure.reason } }
    const duration_ms = (yield* Clock.currentTimeMillis) - open.began_at.getTime()
    yield* write(
      tenant,
      ToolRequestRows.answer(open.id, attempts, { arguments: open.arguments, ...answer, duration_ms }),
    )
    yield* write(tenant, ToolRequestRows.deliver)
  })

  const settleOne = Effect.fnUntraced(function* (tenant: AccountEntry, open: ToolRequestRows.Open) {
    const age = (yield* Clock.currentTimeMillis) - open.began_at.getTime()
    if (!open.is_repeatable || open.attempts >= mostAttempts || age > longestRepeatMs) {
      const { arguments: args, attempts, id } = open
      const duration_ms = Math.min(age, 2 ** 31 - 1)
      return yield* ToolRequestRows.answer(id, attempts, { arguments: args, error: interrupted, duration_ms })
    }
    // A suspended account sends nothing.
    if (!open.is_due || tenant.account.status !== "active" || running.has(open.id)) return
    if (yield* ToolRequestRows.take(node.id, open)) startAs(open.id, tenant, repeat(tenant, open))
  })

  return Effect.gen(function* () {
    const tenant = yield* CurrentTenant
    const { slug } = tenant.account
    // Removed before the statement: a request that begins during it adds the account again.
    unsettled.delete(slug)
    const keep = Effect.sync(() => void unsettled.add(slug))
    const hasAny = yield* Effect.onError(ToolRequestRows.hasAny, () => keep)
    if (!hasAny && running.size === 0) return
    yield* keep
    const now = yield* Clock.currentTimeMillis
    const open = yield* ToolRequestRows.findOpen
    const others = new Set(open.map(({ node_id }) => node_id))
    others.delete(node.id)
    const gone = others.size === 0 ? others : yield* node.findGone([...others])
    const isLost = ({ attempts, began_at, id, node_id }: ToolRequestRows.Open) =>
      node_id === node.id
        ? !running.has(id) && (attempts > 1 || now - began_at.getTime() > begunWithinMs)
        : gone.has(node_id)
    yield* Effect.forEach(
      open.filter((row) => isLost(row)),
      (row) => settleOne(tenant, row),
      { discard: true },
    )
    yield* ToolRequestRows.deliver
  }).pipe(Effect.orDie, Effect.withSpan("ToolRequests.settle"))
}

/** Fails with null if the agent no longer has the tool. */
const sendAgain = Effect.fnUntraced(function* (open: ToolRequestRows.Open, { account }: AccountEntry) {
  const { agent_id, agent_version, arguments: args, call_id, id, tool_name } = open
  const kit = agent_id === null ? null : yield* Effect.orElseSucceed(AgentKit.find(agent_id, agent_version), () => null)
  const tool = kit?.tools.find(({ name }) => name === tool_name)
  if (tool === undefined || !Invocation.actsOutside(tool) || !isObject(args)) {
    return yield* Effect.fail<ToolFailed | null>(null)
  }
  const context: Invocation.InvocationContext = {
    call_id,
    phone_number: null,
    variables: {},
    time_zone: account.time_zone,
    about: {},
    faq_ids: [],
    outcome_schema: null,
    dispositions: [],
    digits: null,
    controls: none,
  }
  return yield* Invocation.run(tool, args, context, id)
})
