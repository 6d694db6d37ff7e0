/** The steps of a process, run with the real code. The test records the results. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { AfterCall, Calls, type IntendedCall } from "../../src/calls/Calls.ts"
import { DirectCalls } from "../../src/calls/DirectCalls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import { endBatch } from "../../src/calls/ledger/EndBatch.ts"
import * as CallRecovery from "../../src/calls/live/CallRecovery.ts"
import { OutboundCalls } from "../../src/calls/live/OutboundCalls.ts"
import * as DialTransaction from "../../src/campaigns/dialling/DialTransaction.ts"
import { open } from "../../src/campaigns/dialling/Opening.ts"
import { Node } from "../../src/cluster/Node.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId, type NewCall, type Outcome } from "../../src/domain/Call.ts"
import { E164 } from "../../src/domain/E164.ts"
import { Telephony } from "../../src/telephony/Telephony.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { holds } from "./Broken.ts"
import type { Attempt, CampaignTruth, Truth, Worker } from "./Truth.ts"
import type { World } from "./World.ts"

/** A fault in a transaction: its n-th statement is refused, or its connection is cut instead. */
export interface Fault {
  readonly kind: "refused" | "cut"
  readonly at: number
}

/** Lets PostgreSQL itself refuse the statement, so that the transaction fails as a real one does. */
export const breaking =
  (fault: Fault | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (fault === null) return effect
    let count = 0
    const transformer: Statement.Transformer = (statement, sql) =>
      Effect.succeed(
        ++count !== fault.at
          ? statement
          : fault.kind === "refused"
            ? sql`select 1 / 0`
            : sql`select pg_terminate_backend(pg_backend_pid())`,
      )
    return Effect.provideService(effect, Statement.CurrentTransformer, transformer)
  }

/**
 * A process that dies after the commit: before the carrier heard of its calls, or after it heard of the first `told`.
 */
export interface Death {
  readonly told: number
  /** True if the process lives but the response to its COMMIT was lost, so it does not know of the calls. */
  readonly commitLost: boolean
}

/** Records the calls that the process has committed. If it has died since, it conducts none of them. */
const telling = (truth: Truth, worker: Worker, death: Death | null, campaign: CampaignTruth | null) => {
  const { node } = worker
  return (_: unknown, calls: ReadonlyArray<IntendedCall>) =>
    Effect.sync(() => {
      truth.partly = true
      const lives = worker.node === node && (death === null || !death.commitLost)
      calls.forEach((call, at) => {
        truth.dialled({
          id: call.id,
          campaign,
          contact: campaign?.contacts.get(call.contact_id ?? "") ?? null,
          attempt_number: call.attempt_number,
          number: call.to_number,
          node,
          begun: call.started_at.getTime(),
          told: lives && (death === null || at < death.told),
          end: null,
        })
        if (lives && death === null) worker.conducts.add(call.id)
      })
      if (lives && death !== null) restart(truth, worker)
    })
}

/** Restarts the process as a new node, so the calls that it conducted have no owner. */
export const restart = (truth: Truth, worker: Worker): void => {
  truth.gone.add(worker.node)
  worker.node = uuidv7()
  worker.conducts.clear()
  worker.epochs.clear()
}

const callsOf = (truth: Truth, worker: Worker, campaign: CampaignTruth, death: Death | null) => {
  const { node } = worker
  return Calls.of({
    dials: () => true,
    intend: (intents) => CallLog.intend(node, intents),
    withClaim: (pass) => pass({ room: () => Infinity, claim: () => {} }),
    handOut: Effect.fnUntraced(function* (calls) {
      const sql = yield* SqlClient.SqlClient
      yield* sql.afterCommit(telling(truth, worker, death, campaign)(null, calls))
    }),
    reportFull: Effect.void,
    conduct: () => Effect.die("not here"),
    place: () => Effect.die("not here"),
    receive: () => Effect.die("not here"),
    takeOverChat: () => Effect.die("not here"),
    giveUp: () => Effect.die("not here"),
    leave: Effect.die("not here"),
    endChatsElsewhere: () => Effect.die("not here"),
    hangUp: () => Effect.die("not here"),
    setRecordingPaused: () => Effect.die("not here"),
    listen: () => Effect.die("not here"),
    whisper: () => Effect.die("not here"),
    takeOver: () => Effect.die("not here"),
    joinTakeover: () => Effect.die("not here"),
    recover: Effect.die("not here"),
    active: Effect.sync(() => worker.conducts.size),
    transcript: () => undefined,
  })
}

/** Makes the process the owner of the campaign, whichever process owned it before. */
const takeUp = Effect.fnUntraced(function* (truth: Truth, worker: Worker, campaign: CampaignTruth) {
  const opened = yield* open(campaign.id)
  truth.partly = true
  if (opened._tag !== "Dial") return
  worker.epochs.set(campaign.id, opened.epoch)
  campaign.epoch = Math.max(campaign.epoch, opened.epoch)
})

/**
 * Runs one dial pass. First the worker takes the campaign up if it has not yet, or if `anew`. If another process has
 * taken it up since, the pass must report it as lost.
 */
export const runPass = Effect.fnUntraced(function* (
  truth: Truth,
  worker: Worker,
  campaign: CampaignTruth,
  { anew, death }: { readonly anew: boolean; readonly death: Death | null },
) {
  if (anew || !worker.epochs.has(campaign.id)) yield* takeUp(truth, worker, campaign)
  const epoch = worker.epochs.get(campaign.id)
  if (epoch === undefined) return
  const isLost = epoch < campaign.epoch
  const calls = callsOf(truth, worker, campaign, death)
  const { _tag } = yield* DialTransaction.runPass(campaign.id, epoch).pipe(Effect.provideService(Calls, calls))
  holds("epoch", !isLost || _tag === "Lost", () => `a process that lost ${campaign.id} was told ${_tag}`)
  if (_tag !== "Wait") worker.epochs.delete(campaign.id)
})

export const direct = (truth: Truth, worker: Worker, { agent_id, phone_number_id }: World, to: string) => {
  const parts = Layer.mergeAll(
    Layer.mock(Telephony, { obstacleOf: () => null, dials: () => true, outlives: () => false, rejoins: () => false }),
    Layer.mock(Node, { id: worker.node, enter: Effect.succeed(worker.node) }),
    Layer.mock(OutboundCalls, { conduct: telling(truth, worker, null, null) }),
  )
  const request: NewCall = { agent_id, phone_number_id, to: E164.make(to) }
  return DirectCalls.use(({ place }) => place(request, [])).pipe(
    Effect.provide(Layer.fresh(DirectCalls.layer.pipe(Layer.provide(parts)))),
  )
}

export interface ReportedEnd {
  readonly outcome: Outcome
  /** True if a machine recorded the agent's message. */
  readonly message_left: boolean
  readonly opted_out: boolean
  /** Milliseconds by which the process's clock is behind the database's. */
  readonly behindMs: number
}

const endAs = Effect.fnUntraced(function* (node: string, reports: ReadonlyArray<CallLog.EndReport>) {
  const after = yield* AfterCall
  const { account } = yield* CurrentTenant
  return yield* transaction(endBatch({ node, account: account.slug, after, take: () => reports }))
})

/**
 * Ends calls as the writer of a process does. `reports` may name a call twice, or an unknown one. A node's reports on
 * calls that another node has taken over have no effect.
 */
export const end = Effect.fnUntraced(function* (
  truth: Truth,
  node: string,
  reports: ReadonlyArray<readonly [Attempt | null, ReportedEnd]>,
) {
  const ended = yield* endAs(
    node,
    reports.map(([attempt, reported]) => {
      const record = new CallRecord()
      record.message_left = reported.message_left
      record.opted_out = reported.opted_out
      const answered = reported.outcome === "answered" || reported.outcome === "voicemail"
      record.answered_at = answered ? new Date(truth.now - reported.behindMs) : null
      return {
        call: callOf(attempt),
        end: {
          outcome: reported.outcome,
          end_reason: answered ? ("caller_hung_up" as const) : ("not_answered" as const),
        },
        ended_at: new Date(truth.now - reported.behindMs),
        record,
      }
    }),
  )
  for (const [attempt, reported] of reports) {
    if (reported.opted_out && attempt !== null) truth.suppressions.set(attempt.number, Number.POSITIVE_INFINITY)
  }
  recordEnds(truth, node, ended, (id, outcome) => {
    const said = reports.find(([attempt, reported]) => attempt?.id === id && reported.outcome === outcome)
    return outcome === "answered" || said?.[1].message_left === true
  })
})

const recordEnds = (
  truth: Truth,
  node: string,
  ended: Effect.Success<ReturnType<typeof CallLog.end>>,
  isAccepted: (id: string, outcome: Outcome) => boolean,
) => {
  for (const { ended_at, id, outcome } of ended) {
    const attempt = truth.attempts.get(id)
    holds("I14", attempt?.end === null, () => `${id} was ended twice, or never begun`)
    if (attempt === undefined) continue
    holds("ownership", attempt.node === node, () => `${id} was ended by a process that it is not with`)
    truth.ended(attempt, { outcome, accepted: isAccepted(id, outcome), at: ended_at.getTime() })
    for (const worker of truth.workers) worker.conducts.delete(id)
  }
}

const callOf = (attempt: Attempt | null) => ({
  id: CallId.make(attempt?.id ?? uuidv7()),
  campaign_id: attempt?.campaign?.id ?? null,
  contact_id: attempt?.contact?.id ?? null,
  attempt_number: attempt?.attempt_number ?? null,
  to_number: attempt?.number ?? null,
  from_number: null,
  direction: "outbound" as const,
})

/** A report of the carrier before the end, which may arrive late or out of order. */
export const advance = (attempt: Attempt, status: CallLog.Progress["status"], at: number) =>
  CallLog.advance(
    new Map([[CallId.make(attempt.id), { status, answered_at: status === "in_progress" ? new Date(at) : null }]]),
  )

/**
 * Settles calls without an owner, as a process does at its start and every second: it takes the calls over, then ends
 * them. If `dies`, the process dies between the two.
 */
export const recover = Effect.fnUntraced(function* (truth: Truth, worker: Worker, dies: boolean) {
  const own = worker.node
  const findGone = (ids: ReadonlyArray<string>) => Effect.succeed(new Set(ids.filter((id) => truth.knownGone.has(id))))
  const node = Context.get(
    yield* Layer.build(Layer.mock(Node, { id: own, enter: Effect.succeed(own), findGone })),
    Node,
  )
  const lost = yield* CallRecovery.takeOverLost(node, (id) => worker.conducts.has(id))
  for (const { id } of lost) {
    // Two sweeps of one process may overlap, so only calls of other processes count.
    const conducted = truth.workers.some((other) => other !== worker && other.conducts.has(id))
    holds("ownership", !conducted, () => `${id} is conducted, and was taken for lost`)
    const attempt = truth.attempts.get(id)
    if (attempt !== undefined) attempt.node = own
    if (!dies && worker.node === own) worker.conducts.add(id)
  }
  if (dies) return worker.node === own ? restart(truth, worker) : undefined
  if (lost.length === 0) return
  const reports = lost.map((call) => {
    const record = new CallRecord()
    record.answered_at = call.answered_at
    const end = { outcome: CallRecovery.outcomeOfLost(call), end_reason: "interrupted" as const }
    return { call, end, record, ended_at: new Date(truth.now) }
  })
  const ended = yield* Effect.onError(endAs(own, reports), () =>
    Effect.sync(() => lost.forEach(({ id }) => worker.conducts.delete(id))),
  )
  recordEnds(truth, own, ended, (_, outcome) => outcome === "answered")
}, Effect.scoped)
