/** Follows campaigns and reports their changes. Uses the public API only. */
import { Clock, Effect, FiberMap, Queue, Ref, Schedule, Stream } from "effect"
import { followClosely, type News } from "../../examples/follow.ts"
import { type Page, type Parley, ParleyError } from "../../examples/parley.ts"
import * as Board from "./Board.ts"
import { because, codes, Leaving } from "./Leaving.ts"
import type { Output } from "./Output.ts"
import { type Message, read } from "./Snapshot.ts"

export interface Watching {
  readonly parley: Parley
  readonly board: Ref.Ref<Board.Board>
  readonly output: () => Output
  /** Milliseconds without a message after which the monitor gives up. */
  readonly patience: number
}

interface CampaignOnWire extends Board.Campaign {
  readonly status: string
}

/** The interval between requests for running campaigns, since no stream announces new ones. */
const lookAgain = "3 seconds"
/** How long an ended campaign stays on the screen that shows all campaigns. */
const afterglow = "30 seconds"
const paceBucketSeconds = 60
const paceBuckets = 20

const path = "/api/v1/campaigns"

const ask = <T>(parley: Parley, request: string) =>
  Effect.tryPromise({ try: () => parley.get<T>(request), catch: (cause) => cause })

/** Changes the board and prints the notes that the change added. */
const tell = Effect.fnUntraced(function* (
  { board, output }: Watching,
  change: (board: Board.Board, now: number) => Board.Board,
) {
  const now = yield* Clock.currentTimeMillis
  const before = yield* Ref.get(board)
  const after = yield* Ref.updateAndGet(board, (present) => change(present, now))
  for (const note of after.notes) if (!before.notes.includes(note)) output().note(new Date(note.at), note.text)
})

const hear = Effect.fnUntraced(function* (watching: Watching, id: string, news: News<Message>) {
  if (news.type === "cut") {
    const text = `connection lost: ${news.why}`
    watching.output().note(new Date(yield* Clock.currentTimeMillis), text)
    return yield* tell(watching, (board, now) => Board.onCut(board, id, news.why, now))
  }
  if (news.type === "back") {
    return yield* tell(watching, (board, now) => Board.onBack(board, id, news.lastEventId, now))
  }
  yield* tell(watching, (board, now) => Board.onSnapshot(board, id, news.snapshot.snapshot, now))
  const row = Board.find(yield* Ref.get(watching.board), id)
  if (row !== undefined) watching.output().message(row, news.snapshot)
})

/** Follows the campaign's stream. Interruption ends the request at once, even during a pause between retries. */
const newsOf = ({ parley, patience }: Watching, id: string) =>
  Stream.callback<News<Message>, unknown>((queue) =>
    Effect.tryPromise({
      try: async (signal) => {
        for await (const news of followClosely(parley, id, { read, signal, patience })) Queue.offerUnsafe(queue, news)
        Queue.endUnsafe(queue)
      },
      catch: (cause) => cause,
    }),
  )

/** Reads the calls begun in each of the last minutes. If the request fails, the figures stay as they were. */
const pace = Effect.fnUntraced(
  function* (watching: Watching, id: string) {
    const { items } = yield* ask<{ items: ReadonlyArray<{ at: string; calls: number }> }>(
      watching.parley,
      `${path}/${id}/timeline?bucket_seconds=${paceBucketSeconds}`,
    )
    const now = yield* Clock.currentTimeMillis
    const length = paceBucketSeconds * 1_000
    const calls = new Map(items.map(({ at, calls }) => [Math.floor(Date.parse(at) / length), calls]))
    const first = Math.max(Math.min(...calls.keys()), Math.floor(now / length) - paceBuckets + 1)
    const last = Math.floor(now / length)
    const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => calls.get(first + at) ?? 0)
    yield* tell(watching, (board) => Board.onPace(board, id, values))
  },
  (calls) => Effect.ignore(calls),
)

/** Follows the campaign to its end, and returns its row. */
export const watchOne = Effect.fnUntraced(function* (watching: Watching, campaign: Board.Campaign) {
  const { id } = campaign
  yield* tell(watching, (board) => Board.add(board, campaign))
  const pacing = yield* Effect.forkChild(pace(watching, id).pipe(Effect.repeat(Schedule.spaced("20 seconds"))))
  yield* newsOf(watching, id).pipe(
    Stream.runForEach((news) => hear(watching, id, news)),
    Effect.mapError(because),
    Effect.ensuring(Effect.sync(() => pacing.interruptUnsafe())),
  )
  const last = yield* ask<CampaignOnWire>(watching.parley, `${path}/${id}`).pipe(
    Effect.retry({ schedule: Schedule.exponential("500 millis"), times: 5 }),
    Effect.orElseSucceed(() => campaign),
  )
  yield* tell(watching, (board, now) => Board.onEnd(board, id, last, now))
  return Board.find(yield* Ref.get(watching.board), id)
})

/** Reads every page of the running campaigns. */
const running = Effect.fnUntraced(function* (parley: Parley) {
  const found: Array<CampaignOnWire> = []
  for (let page = 0; ; page++) {
    const { items, total } = yield* ask<Page<CampaignOnWire>>(
      parley,
      `${path}?status=running&page_size=100&page=${page}`,
    )
    found.push(...items)
    if (items.length === 0 || found.length >= total) return found
  }
})

const isFinal = (cause: unknown) =>
  cause instanceof ParleyError && cause.problem.status < 500 && cause.problem.status !== 429

/** Follows all running campaigns, and new ones as they start. Ends only with an error that a retry cannot fix. */
export const watchAll = Effect.fnUntraced(function* (watching: Watching) {
  const { board, parley } = watching
  const fibers = yield* FiberMap.make<string, void, Leaving>()
  const over = new Set<string>()

  const follow = Effect.fnUntraced(function* (campaign: CampaignOnWire) {
    yield* watchOne(watching, campaign)
    over.add(campaign.id)
    yield* Effect.sleep(afterglow)
    yield* tell(watching, (board) => Board.remove(board, campaign.id))
  })

  const look = Effect.gen(function* () {
    const found = yield* running(parley)
    for (const campaign of found.toReversed()) {
      if (!over.has(campaign.id)) yield* FiberMap.run(fibers, campaign.id, follow(campaign), { onlyIfMissing: true })
    }
    yield* Ref.update(board, (present) => ({ ...present, listLost: undefined }))
  })

  const lookOn = look.pipe(
    Effect.catch((cause) =>
      isFinal(cause)
        ? Effect.fail(because(cause))
        : tell(watching, (board, now) => ({
            ...board,
            listLost: board.listLost ?? { at: now, why: because(cause).message },
          })),
    ),
    Effect.repeat(Schedule.spaced(lookAgain)),
  )
  // A failure of the first request ends the program, since the URL is probably wrong.
  yield* Effect.mapError(look, because)
  yield* Effect.raceFirst(lookOn, FiberMap.join(fibers))
}, Effect.scoped)

const isId = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Finds a campaign by its id or name. Among several with the name, the newest that has not ended. */
export const find = Effect.fnUntraced(function* (parley: Parley, wanted: string) {
  if (isId(wanted)) return yield* Effect.mapError(ask<CampaignOnWire>(parley, `${path}/${wanted}`), because)
  const query = `${path}?search=${encodeURIComponent(wanted)}&page_size=100`
  const { items } = yield* Effect.mapError(ask<Page<CampaignOnWire>>(parley, query), because)
  const named = items.filter(({ name }) => name === wanted)
  const open = named.find(({ status }) => status !== "completed" && status !== "failed")
  const found = open ?? named[0]
  if (found !== undefined) return found
  return yield* new Leaving({ code: codes.notFound, message: `There is no campaign "${wanted}" in this account.` })
})
