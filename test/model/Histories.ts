/** Runs histories. Each begins with an empty account at some moment, and ends when everything in it has ended (I13). */
import { it } from "@effect/vitest"
import { Config, Effect, Option } from "effect"
import fc from "fast-check"
import { v7 as uuidv7 } from "uuid"
import { dose } from "../support/Dose.ts"
import { passTo } from "./AccountActions.ts"
import { holds } from "./Broken.ts"
import { operateOn } from "./CampaignActions.ts"
import { command } from "./Commands.ts"
import * as Engine from "./Engine.ts"
import * as Lists from "./Lists.ts"
import { type Action, read, type Real, Step } from "./Step.ts"
import { type Caps, Truth, type Worker } from "./Truth.ts"
import * as World from "./World.ts"

/** The number of histories, and the values that a failed one prints so that it can be repeated. */
const settings = Config.all({
  histories: Config.Int("MODEL_HISTORIES").pipe(Config.withDefault(dose(100, 300, 1_000))),
  seed: Config.option(Config.Int("MODEL_SEED")),
  path: Config.option(Config.String("MODEL_PATH")),
  replayPath: Config.option(Config.String("MODEL_REPLAY")),
})
type Plan = Config.Success<typeof settings>

/** Milliseconds that a history may take on a busy machine. */
const longest = 3_000
/** Milliseconds for shrinking a failed history. The smallest one found by then is reported. */
const shrinking = 120_000

/** Runs one file's share of the histories. `files` is the number of files that run side by side. */
export const suite = (files: number) =>
  it.layer(World.layer, { timeout: "120 seconds", excludeTestServices: true })("the dialler's promises", (it) => {
    it.effect(
      "hold in every history (I1–I15)",
      () =>
        Effect.gen(function* () {
          const world = yield* World.make
          const plan = yield* settings
          yield* Effect.promise(() => run(world, { ...plan, histories: Math.ceil(plan.histories / files) }))
        }),
      2 ** 31 - 1,
    )
  })

const run = (world: World.World, { histories, path, replayPath, seed }: Plan) =>
  fc.assert(
    fc.asyncProperty(
      beginning,
      fc.commands([command], { maxCommands: 100, size: "max", ...given("replayPath", replayPath) }),
      (beginning, commands) => history(world, beginning, commands),
    ),
    {
      numRuns: histories,
      interruptAfterTimeLimit: histories * longest + shrinking,
      markInterruptAsFailure: true,
      ...given("seed", seed),
      ...given("path", path),
    },
  )

const given = <K extends string, A>(key: K, value: Option.Option<A>) =>
  Option.isSome(value) ? ({ [key]: value.value } as Record<K, A>) : {}

const beginning = fc.record({
  at: fc.constantFrom(...Lists.beginnings),
  zone: fc.constantFrom(...Lists.zones),
  caps: Lists.caps,
})

const newWorker = (): Worker => ({ node: uuidv7(), conducts: new Set(), epochs: new Map() })

const history = async (
  world: World.World,
  { at, caps, zone }: { readonly at: string; readonly zone: string; readonly caps: Caps },
  commands: Iterable<fc.AsyncCommand<Truth, Real>>,
) => {
  const truth = new Truth(Date.parse(at), zone, caps, [newWorker(), newWorker(), newWorker()])
  await world.reset(truth)
  const real: Real = { world, rows: await read(world) }
  await fc.asyncModelRun(() => ({ model: truth, real }), commands)
  await end(truth, real)
}

const wide: Caps = { concurrent_max: 100, calls_per_minute: 10_000, calls_per_day: 100_000, calling_window: null }
const answered: Engine.ReportedEnd = { outcome: "answered", message_left: false, opted_out: false, behindMs: 0 }
/** The most rounds at the end. Each round runs a dial pass of every campaign and answers every call. */
const mostRounds = 40

/**
 * Ends a history without faults: caps are raised, paused campaigns resume, contacts answer, and everything must end.
 */
const end = async (truth: Truth, real: Real): Promise<void> => {
  const step = (text: string, act: Action["act"], quiet = false) =>
    new Step({ text, act, quiet, can: () => true }).run(truth, real)
  const worker = newWorker()
  await step("the caps are lifted", () => Effect.map(World.setCaps(wide), () => void (truth.caps = wide)), true)
  for (const [at, { status }] of truth.campaigns.entries()) {
    if (status === "paused") await new Step(operateOn("resume", at)).run(truth, real)
  }
  for (const other of truth.workers) Engine.restart(truth, other)
  await step("calls without an owner are recovered", () => Engine.recover(truth, worker, false))
  for (let round = 0; ; round++) {
    const running = truth.campaigns.filter(({ status }) => status === "running")
    if (running.length === 0 && truth.live.length === 0) break
    holds("I13", round < mostRounds, () => `${running.length} campaigns still run, ${truth.live.length} calls live`)
    for (const campaign of running) {
      await step("a last dial pass", () => Engine.runPass(truth, worker, campaign, { anew: false, death: null }))
    }
    const answers = truth.live.map((attempt) => [attempt, answered] as const)
    if (answers.length > 0) await step("every contact answers", () => Engine.end(truth, worker.node, answers))
    await step("time passes", () => passTo(truth, Math.max(truth.now + 61_000, nextDue(real))), true)
  }
  const waiting = real.rows.contacts.filter(({ campaign_id, status }) => {
    const campaign = truth.campaigns.find(({ id }) => id === campaign_id)
    return campaign?.status !== "draft" && (status === "pending" || status === "in_progress")
  })
  holds("I13", waiting.length === 0, () => `${waiting.length} contacts of ended campaigns still wait`)
}

const nextDue = ({ rows }: Real): number => {
  const dues = rows.contacts.flatMap(({ due_at, status }) => (status === "pending" ? (due_at ?? []) : []))
  return dues.length === 0 ? 0 : Math.ceil(Math.min(...dues))
}
