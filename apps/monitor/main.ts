/** `npm run monitor -- CAMPAIGN`: follows one campaign, or all running ones, in a terminal. See docs/monitor.md. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, Console, Deferred, Effect, Exit, Option, Queue, Ref, Schedule, Terminal } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Board from "./Board.ts"
import { codes, Leaving } from "./Leaving.ts"
import * as Output from "./Output.ts"
import { signIn } from "./SignIn.ts"
import { find, watchAll, type Watching, watchOne } from "./Watch.ts"

const campaign = Argument.String("campaign").pipe(
  Argument.withDescription("A campaign's id or name. Left out: all that are running, and those that start later"),
  Argument.optional,
)

const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Where the server is (PARLEY_URL)"),
    Flag.withFallbackConfig(Config.String("PARLEY_URL").pipe(Config.withDefault("http://127.0.0.1:3000"))),
  ),
  account: Flag.String("account").pipe(
    Flag.withDescription("The account's slug (PARLEY_ACCOUNT)"),
    Flag.withFallbackConfig(Config.String("PARLEY_ACCOUNT").pipe(Config.withDefault("demo"))),
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withDescription("An API key or ID token. PARLEY_TOKEN is safer: a list of processes shows this one"),
    Flag.withFallbackConfig(Config.Redacted("PARLEY_TOKEN")),
    Flag.optional,
  ),
  email: Flag.String("email").pipe(
    Flag.withDescription("Sign in with the development login instead, where the server has one"),
    Flag.optional,
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print each snapshot as JSON, one per line"),
    Flag.withDefault(false),
  ),
  plain: Flag.Boolean("plain").pipe(
    Flag.withDescription("Print one line per snapshot, on a terminal too"),
    Flag.withDefault(false),
  ),
  patience: Flag.Int("patience").pipe(
    Flag.withDescription("Give up after this many seconds without an answer from the server"),
    Flag.filter(
      (seconds) => seconds >= 1 && seconds <= 86_400,
      () => "between 1 and 86400",
    ),
    Flag.withDefault(300),
  ),
}

/** The interval between two drawings of the screen. */
const frame = "250 millis"

const now = Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (at) => new Date(at)))

/** Handles the keys of the screen. Without a keyboard the queue of keys ends. */
const keys = Effect.fnUntraced(function* (
  board: Ref.Ref<Board.Board>,
  toPlain: () => void,
  addressOf: (campaign: string) => string,
) {
  const terminal = yield* Terminal.Terminal
  const input = yield* terminal.readInput
  while (true) {
    const { key } = yield* Queue.take(input)
    if (key.name === "q" || key.name === "escape") return true
    if (key.ctrl && (key.name === "c" || key.name === "d")) return yield* Effect.interrupt
    if (key.name === "p") toPlain()
    if (key.name === "return" || key.name === "enter") {
      const at = (yield* now).getTime()
      yield* Ref.update(board, (present) =>
        present.chosen === undefined ? present : Board.note(present, at, addressOf(present.chosen)),
      )
    }
    if (key.name === "up") yield* Ref.update(board, (present) => Board.choose(present, -1))
    if (key.name === "down") yield* Ref.update(board, (present) => Board.choose(present, 1))
  }
}, Effect.scoped)

const isScreen = process.stdout.isTTY && process.stdout.getWindowSize()[0] >= 40

const end = (row: Board.Row | undefined): Effect.Effect<void, Leaving> => {
  const status = row?.snapshot?.status
  const reason = row?.campaign.end_reason
  if (status === "failed") return new Leaving({ code: codes.failed, message: "" })
  if (reason === "stopped") return new Leaving({ code: codes.stopped, message: "" })
  return Effect.void
}

const monitor = Command.make("monitor", { campaign, ...flags }, (settings) =>
  Effect.gen(function* () {
    const { account, json, patience } = settings
    const parley = yield* signIn(settings)
    const one = yield* Effect.transposeOption(Option.map(settings.campaign, (wanted) => find(parley, wanted)))
    const isOne = Option.isSome(one)

    const { stderr, stdout } = process
    const lines = json ? Output.json(stdout, stderr) : Output.plain(stdout)
    const drawn = isScreen && !json && !settings.plain ? Output.screen(stdout, account, isOne) : undefined
    let output = drawn ?? lines
    const board = yield* Ref.make(Board.empty)
    const watching: Watching = { parley, board, output: () => output, patience: patience * 1_000 }

    const gone = yield* Deferred.make<void>()
    // The reader of the pipe has closed it, as in `npm run monitor | head`.
    stdout.on("error", () => Deferred.doneUnsafe(gone, Effect.void))

    const draw = Effect.gen(function* () {
      output.show(yield* Ref.get(board), yield* now)
    }).pipe(Effect.repeat(Schedule.spaced(frame)))
    // Print the URL, which terminals turn into a link. A browser opened by the monitor would be lost over SSH.
    const addressOf = (id: string) => `${parley.url}/console/${account}/campaigns/${id}`
    const toPlain = () => {
      drawn?.close()
      output = lines
    }
    const leave = drawn === undefined ? Effect.never : Effect.catch(keys(board, toPlain, addressOf), () => Effect.never)

    const work = Option.match(one, {
      onNone: () => watchAll(watching),
      onSome: (found) =>
        Effect.flatMap(watchOne(watching, found), (row) => {
          if (row !== undefined) output.end(row)
          return end(row)
        }),
    })
    yield* Effect.raceFirst(work, leave).pipe(
      Effect.raceFirst(Deferred.await(gone)),
      Effect.raceFirst(draw),
      Effect.ensuring(Effect.sync(() => output.close())),
    )
  }),
).pipe(
  Command.withDescription("Follow campaigns on the public event stream and draw them in the terminal"),
  Command.withExamples([
    { command: "npm run monitor", description: "All running campaigns of the account demo on this machine" },
    { command: "npm run monitor -- 019ab… --plain", description: "One campaign, one line every two seconds" },
    {
      command: "PARLEY_TOKEN=pak_… npm run monitor -- --url https://parley.example --account acme --json",
      description: "All snapshots, for another program",
    },
  ]),
)

const explain = (cause: Cause.Cause<{ readonly message: string }>) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => (Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))),
    onSome: (error) => (error instanceof Leaving && error.message !== "" ? Console.error(error.message) : Effect.void),
  })

const codeOf = (cause: Cause.Cause<unknown>): number => {
  if (Cause.hasInterruptsOnly(cause)) return codes.interrupted
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof Leaving ? error.code : codes.usage
}

NodeRuntime.runMain(
  Command.run(monitor, { version: "1" }).pipe(Effect.tapCause(explain), Effect.provide(NodeServices.layer)),
  {
    disableErrorReporting: true,
    // Exit at once: a keyboard that is still open would keep the process alive.
    teardown: (exit) => process.exit(Exit.isFailure(exit) ? codeOf(exit.cause) : codes.completed),
  },
)
