/**
 * Links between two processes: messages in both directions for as long as both live, in letters over the platform's
 * database (`tenancy/Notices`). A link delivers its texts in order or breaks. What a process sends is collected for 40 ms
 * and sent in one transaction, so its cost for PostgreSQL hardly depends on the number of links.
 */
import { Clock, Context, Effect, FiberSet, Latch, Layer, Schedule, type Scope, Stream } from "effect"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
import { type Letter, Notices } from "../tenancy/Notices.ts"
import { Link, LinkEnded, letterFrom, type Received } from "./Link.ts"
import { Node } from "./Node.ts"

/**
 * How often letters are sent: two frames of sound. A longer interval delays the sound, a shorter one costs more
 * transactions.
 */
const postEvery = "40 millis"
/** The time limit of one transaction. If it is exceeded, all links of this process break. */
const postLimit = "2 seconds"
/** The interval of each side's keep-alives. */
const keepAliveEvery = "1 second"
/** The other side counts as gone if nothing came from it for this many milliseconds. */
const goneAfterMs = 4_000
/** The most links of this process. A listener on a telephone line takes 43 kB of text a second. */
const mostLinks = 50
const listenAgain = Schedule.spaced("1 second")

/**
 * Answers a link that another process has opened. The link is closed when this returns; it must return when the link
 * has ended.
 */
type Answer = (opening: string, link: Link) => Effect.Effect<void, LinkEnded, Scope.Scope>

export class Links extends Context.Service<
  Links,
  {
    /** Opens a link to another process until the scope closes. `opening` is the first text, for `kind`'s `serve`. */
    readonly open: (node: string, kind: string, opening: string) => Effect.Effect<Link, LinkEnded, Scope.Scope>
    /** Answers links of this kind from now on. */
    readonly serve: (kind: string, answer: Answer) => Effect.Effect<void>
  }
>()("cluster/Links") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { id: self } = yield* Node
      const notices = yield* Notices
      const { folder } = yield* DatabaseServer
      const clock = yield* Clock.Clock
      // Only one process can hold the embedded server's folder, so it is alone.
      const isAlone = folder !== null
      const links = new OpenLinks(self, () => clock.currentTimeMillisUnsafe())
      const answers = new Map<string, Answer>()
      const post = makePost(notices, links)
      // A process that stops tells the other sides of its links.
      yield* Effect.addFinalizer(() => post)
      const run = yield* FiberSet.makeRuntime<never>()

      const answer = (letter: Received) => {
        const [kind, opening] = splitAtSpace(letter.body)
        const link = links.make(letter.link, letter.from)
        links.pass(letter)
        const found = answers.get(kind)
        if (found === undefined || links.isOverfull) return link.close()
        const answering = Effect.scoped(found(opening, link)).pipe(
          Effect.catchTag("LinkEnded", () => Effect.void),
          Effect.catchDefect((defect) => Effect.logError("answering another process failed", defect)),
          Effect.ensuring(Effect.sync(() => link.close())),
        )
        run(answering)
      }
      const take = (text: string) => {
        const letter = letterFrom(text)
        if (letter !== undefined && !links.pass(letter) && letter.kind === "open") answer(letter)
      }
      if (!isAlone) {
        yield* Effect.forkScoped(receiveLetters(notices, self, links, take))
        yield* Effect.andThen(links.hasLetters.await, post).pipe(
          Effect.andThen(Effect.sleep(postEvery)),
          Effect.forever,
          Effect.forkScoped,
        )
        yield* Effect.forkScoped(
          Effect.repeat(
            Effect.sync(() => links.keepAlive()),
            Schedule.spaced(keepAliveEvery),
          ),
        )
      }

      return {
        open: Effect.fnUntraced(function* (node, kind, opening) {
          if (isAlone) return yield* new LinkEnded({ isLost: true })
          yield* links.hears.await
          if (links.isFull) return yield* new LinkEnded({ isLost: true })
          return yield* Effect.acquireRelease(
            Effect.sync(() => {
              const link = links.make(crypto.randomUUID(), node)
              link.open(`${kind} ${opening}`)
              return link
            }),
            (link) => Effect.sync(() => link.close()),
          )
        }),
        serve: (kind, answer) => Effect.sync(() => void answers.set(kind, answer)),
      }
    }),
  )
}

/** The links of this process, and the letters that they have written and that were not posted yet. */
class OpenLinks {
  readonly hasLetters = Latch.makeUnsafe()
  /** Open while this process receives the letters to it. */
  readonly hears = Latch.makeUnsafe()
  readonly #links = new Map<string, Link>()
  readonly #self: string
  readonly #now: () => number
  #letters: Array<Letter> = []

  constructor(self: string, now: () => number) {
    this.#self = self
    this.#now = now
  }

  get isFull(): boolean {
    return this.#links.size >= mostLinks
  }

  /** True if the link that was made last is one too many. */
  get isOverfull(): boolean {
    return this.#links.size > mostLinks
  }

  make(id: string, to: string): Link {
    const link = new Link(id, this.#self, this.#now(), {
      post: (text) => {
        this.#letters.push({ to, text })
        this.hasLetters.openUnsafe()
      },
      onEnded: () => void this.#links.delete(id),
    })
    this.#links.set(id, link)
    return link
  }

  /** Passes a letter to its link; false if there is none. */
  pass(letter: Received): boolean {
    const link = this.#links.get(letter.link)
    link?.receive(letter, this.#now())
    return link !== undefined
  }

  /** Takes the letters that wait to be sent. */
  take(): ReadonlyArray<Letter> {
    this.hasLetters.closeUnsafe()
    const letters = this.#letters
    this.#letters = []
    for (const link of this.#links.values()) link.noteSent()
    return letters
  }

  /** Sends a keep-alive on every link, and breaks the links whose other side is silent. */
  keepAlive(): void {
    for (const link of this.#links.values()) link.keepAlive(this.#now() - goneAfterMs)
  }

  breakAll(): void {
    for (const link of this.#links.values()) link.break()
  }
}

/** Sends the letters that were written so far. If that fails, all links break. */
const makePost = (notices: Notices["Service"], links: OpenLinks) =>
  Effect.suspend(() => {
    const letters = links.take()
    return letters.length === 0 ? Effect.void : Effect.timeout(notices.post(letters), postLimit)
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.sync(() => links.breakAll()),
        Effect.logWarning("sending to other processes failed", error),
      ),
    ),
  )

/** Receives the letters to this process, and listens again after its connection was lost. */
const receiveLetters = (notices: Notices["Service"], self: string, links: OpenLinks, take: (text: string) => void) =>
  notices.lettersTo(self).pipe(
    Effect.tap(links.hears.open),
    Effect.flatMap(Stream.runForEach((text) => Effect.sync(() => take(text)))),
    Effect.tapCause(() =>
      Effect.andThen(
        links.hears.close,
        Effect.sync(() => links.breakAll()),
      ),
    ),
    Effect.scoped,
    Effect.retry(listenAgain),
  )

const splitAtSpace = (text: string): [string, string] => {
  const at = text.indexOf(" ")
  return [text.slice(0, at), text.slice(at + 1)]
}
