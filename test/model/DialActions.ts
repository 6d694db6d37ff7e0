/** Actions of processes and carriers: dial passes, the carrier's reports in any order, crashes and recovery. */
import { Effect } from "effect"
import fc from "fast-check"
import * as Callbacks from "../../src/catalog/Callbacks.ts"
import { Outcome } from "../../src/domain/Call.ts"
import * as SnapshotQuery from "../../src/campaigns/SnapshotQuery.ts"
import { holds } from "./Broken.ts"
import { nth } from "./CampaignActions.ts"
import * as Engine from "./Engine.ts"
import { people } from "./Lists.ts"
import type { Action } from "./Step.ts"
import type { Truth } from "./Truth.ts"

const death = fc.option(fc.record({ told: fc.nat({ max: 2 }), commitLost: fc.boolean() }), { freq: 9 })

/** Usually a running campaign. */
const dialled = ({ campaigns }: Truth, pick: number) => {
  const running = campaigns.filter(({ status }) => status === "running")
  return nth(running.length === 0 || pick === 0 ? campaigns : running, pick)
}

export const runPass: fc.Arbitrary<Action> = fc
  .record({
    pick: fc.nat({ max: 5 }),
    process: fc.nat({ max: 2 }),
    anew: fc.nat({ max: 6 }).map((n) => n === 0),
    death,
  })
  .map(({ anew, death, pick, process }) => ({
    text: `process ${process} takes ${anew ? "over" : "a dial pass of"} campaign ${pick}${death === null ? "" : ` and ${JSON.stringify(death)}`}`,
    can: ({ campaigns }) => campaigns.length > 0,
    act: (truth) => {
      const campaign = dialled(truth, pick)
      const worker = nth(truth.workers, process)
      if (campaign === undefined || worker === undefined) return Effect.void
      return Engine.runPass(truth, worker, campaign, { anew, death })
    },
  }))

export const direct: fc.Arbitrary<Action> = fc
  .tuple(fc.nat({ max: people.length - 1 }), fc.nat({ max: 2 }))
  .map(([to, process]) => ({
    text: `process ${process} calls number ${to} directly`,
    can: () => true,
    act: (truth, world) => {
      const worker = nth(truth.workers, process)
      const number = people[to]?.number
      if (worker === undefined || number === undefined) return Effect.void
      return Engine.direct(truth, worker, world, number).pipe(
        // Refused for a valid reason: a cap, the do-not-call list, or a live call.
        Effect.catchTags({
          CapReached: () => Effect.void,
          DoNotCall: () => Effect.void,
          InvalidState: () => Effect.void,
          NumberDayReached: () => Effect.void,
          NumberPaceReached: () => Effect.void,
        }),
      )
    },
  }))

const reportedEnd: fc.Arbitrary<Engine.ReportedEnd> = fc
  .record({
    outcome: fc.oneof(
      fc.constantFrom("answered" as const, "busy" as const, "no_answer" as const),
      fc.constantFrom(...Outcome.literals),
    ),
    left: fc.boolean(),
    optsOut: fc.nat({ max: 9 }),
    behindMs: fc.constantFrom(0, 0, 0, 1, 1_500),
  })
  .map(({ behindMs, left, optsOut, outcome }) => ({
    outcome,
    message_left: outcome === "voicemail" && left,
    opted_out: outcome === "answered" && optsOut === 0,
    behindMs,
  }))

/** Calls on which a carrier may report. */
const told = (truth: Truth, late: boolean) =>
  [...truth.attempts.values()].filter(
    ({ campaign, end, told }) =>
      told && (late || end === null) && (campaign === null || truth.campaigns.some(({ id }) => id === campaign?.id)),
  )

/**
 * Ends one or several calls in one batch of their process. The first one may end twice, with different reports.
 * `zombie`: the reports come from a process that counts as gone.
 */
export const report: fc.Arbitrary<Action> = fc
  .record({
    picks: fc.array(fc.tuple(fc.nat({ max: 9 }), reportedEnd), { minLength: 1, maxLength: 3 }),
    late: fc.nat({ max: 4 }).map((n) => n === 0),
    again: fc.option(reportedEnd, { freq: 4 }),
    zombie: fc.nat({ max: 9 }).map((n) => n === 0),
  })
  .map(({ again, late, picks, zombie }) => ({
    text: `${zombie ? "a zombie" : "the carrier"} says ${picks.map(([pick, reported]) => `${pick} ${said(reported)}`).join(", ")}${late ? ", perhaps late" : ""}${again === null ? "" : `, of the first again ${said(again)}`}`,
    can: (truth) => told(truth, late).length > 0,
    act: (truth) => {
      const calls = told(truth, late)
      const [first, ...others] = picks.flatMap(([pick, reported]) => {
        const attempt = nth(calls, pick)
        return attempt === undefined ? [] : [[attempt, reported] as const]
      })
      if (first === undefined) return Effect.void
      const reports = [first, ...others, ...(again === null ? [] : [[first[0], again] as const])]
      const owner = first[0].node
      const [gone = owner] = zombie ? truth.gone : []
      return Engine.end(
        truth,
        gone,
        reports.filter(([{ node }]) => node === owner),
      )
    },
  }))

const said = ({ behindMs, message_left, opted_out, outcome }: Engine.ReportedEnd): string =>
  [
    outcome,
    ...(message_left ? ["(message left)"] : []),
    ...(opted_out ? ["(opts out)"] : []),
    ...(behindMs === 0 ? [] : [`${behindMs} ms ago`]),
  ].join(" ")

export const progress: fc.Arbitrary<Action> = fc
  .tuple(fc.nat({ max: 9 }), fc.constantFrom("ringing" as const, "in_progress" as const))
  .map(([pick, status]) => ({
    text: `the carrier says call ${pick} is ${status}`,
    can: (truth) => told(truth, true).length > 0,
    act: (truth) => {
      const attempt = nth(told(truth, true), pick)
      return attempt === undefined ? Effect.void : Engine.advance(attempt, status, truth.now)
    },
  }))

/** The person of a live call asks to be called back. Whether that is possible, the product decides. */
export const callback: fc.Arbitrary<Action> = fc
  .record({ pick: fc.nat({ max: 9 }), seconds: fc.constantFrom(1, 60, 3_600, 86_400, 29 * 86_400, 40 * 86_400, -1) })
  .map(({ pick, seconds }) => ({
    text: `the person of call ${pick} asks to be called back in ${seconds} s`,
    can: (truth) => truth.live.length > 0,
    act: (truth) => {
      const contact = nth(truth.live, pick)?.contact ?? null
      const call = nth(truth.live, pick)
      if (call === undefined || contact === null) return Effect.void
      const at = new Date(truth.now + seconds * 1_000)
      return Callbacks.arrange(call.id, at).pipe(
        Effect.tap((decision) =>
          Effect.sync(() => {
            if (decision._tag !== "Agreed") return
            holds("I5", decision.at >= at, () => `${call.id}'s callback is at ${decision.at.toISOString()}`)
            // From now on the agent may tell the person, so the callback must come, whatever ends the call meanwhile.
            contact.promised = { at: decision.at.getTime(), isSure: true }
          }),
        ),
        // The connection may have broken after the commit.
        Effect.onError(() => Effect.sync(() => void (contact.promised = { at: at.getTime(), isSure: false }))),
      )
    },
  }))

export const unknownCall: fc.Arbitrary<Action> = reportedEnd.map((reported) => ({
  text: `the carrier says ${reported.outcome} of an unknown call`,
  can: () => true,
  act: (truth) => Engine.end(truth, truth.workers[0]?.node ?? "", [[null, reported]]),
}))

export const restart: fc.Arbitrary<Action> = fc.nat({ max: 2 }).map((process) => ({
  text: `process ${process} is killed and started again`,
  can: () => true,
  quiet: true,
  act: (truth) =>
    Effect.sync(() => {
      const worker = nth(truth.workers, process)
      if (worker !== undefined) Engine.restart(truth, worker)
    }),
}))

export const recover: fc.Arbitrary<Action> = fc
  .tuple(fc.nat({ max: 2 }), fc.nat({ max: 5 }))
  .map(([process, dies]) => ({
    text: `process ${process} recovers calls without an owner${dies === 0 ? ", and dies of it" : ""}`,
    can: ({ attempts }) => attempts.size > 0,
    act: (truth) => {
      const worker = nth(truth.workers, process)
      return worker === undefined ? Effect.void : Engine.recover(truth, worker, dies === 0)
    },
  }))

/** I15: a snapshot shows a single instant. */
export const watch: fc.Arbitrary<Action> = fc.nat({ max: 5 }).map((pick) => ({
  text: `a client watches campaign ${pick}`,
  can: ({ campaigns }) => campaigns.length > 0,
  act: (truth) =>
    Effect.gen(function* () {
      const campaign = nth(truth.campaigns, pick)
      if (campaign === undefined) return
      const { snapshot } = yield* SnapshotQuery.observe(campaign.id)
      const { completed, failed, in_progress, pending, skipped, total } = snapshot.counts
      const sum = completed + failed + in_progress + pending + skipped
      holds("I15", sum === total, () => `${sum} contacts of ${total} in a snapshot`)
      holds(
        "I15",
        snapshot.active_calls === in_progress,
        () => `${in_progress} in progress, ${snapshot.active_calls} calls`,
      )
      const statuses = [truth.before.statuses.get(campaign.id), ...(truth.acknowledged.get(campaign.id) ?? [])]
      const known = !truth.alone || statuses.includes(snapshot.status)
      holds("I15", known, () => `a snapshot shows ${snapshot.status}, not ${statuses.join(" or ")}`)
    }),
}))
