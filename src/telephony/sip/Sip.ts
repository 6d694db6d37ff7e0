/**
 * SIP as a service. Its sockets stay open for the life of its layer, and each call belongs to the scope that placed it.
 */
import { type Array as Arr, Clock, Context, Data, Deferred, Effect, Layer, type Scope } from "effect"
import type { SipTrunk } from "../../domain/SipConfig.ts"
import { AddressGuard } from "../../outbound/AddressGuard.ts"
import { ServiceRecords } from "../../outbound/ServiceRecords.ts"
import { Authoriser } from "./Authoriser.ts"
import { isProvisional, isServerFailure, type Result } from "./ClientTransaction.ts"
import type { Dialog } from "./Dialog.ts"
import type { Credentials } from "./Digest.ts"
import { Endpoint } from "./Endpoint.ts"
import type { Hop, Sender } from "./Hop.ts"
import type { IncomingCall } from "./IncomingCall.ts"
import type { Invitation } from "./Invitation.ts"
import { KnownAddresses } from "./KnownAddresses.ts"
import type { Field } from "./Message.ts"
import type { Order, Refusal } from "./OutgoingCall.ts"
import { Registration } from "./Registration.ts"
import * as Routes from "./Routes.ts"
import type { Server } from "./ServerLocation.ts"
import { Session } from "./Session.ts"
import { type SipListener, SipSettings } from "./SipSettings.ts"
import type { Schedule } from "./Timers.ts"
import { TrunkAddresses } from "./TrunkAddresses.ts"
import { askTrunk, type Question } from "./TrunkQuestion.ts"
import * as Wire from "./Wire.ts"

/** The call was not answered. This is an ordinary outcome of a call, so it collects no stack. */
export class Declined extends Data.TaggedClass("Declined")<Refusal> {}

export interface Answered {
  readonly session: Session
  /** The session description of the other side. */
  readonly answer: string
}

export type Provisional = (status: number, sdp: string | null) => void

export interface Placed {
  readonly settled: Deferred.Deferred<Answered, Declined>
  /**
   * Sends the ACK. Until then the peer repeats its answer, and after 32 seconds it ends the call. So the dialog is
   * stored before the ACK.
   */
  readonly acknowledge: Effect.Effect<void>
  /**
   * Done when, as far as we can know, the peer has nothing left of the call. May be later than the end of the call's
   * scope.
   */
  readonly over: Deferred.Deferred<void>
}

/** How long closing a call's scope waits for the peer. The rest of the close then goes on in the background. */
const closesWithin = "3 seconds"
/** RFC 3326: why we end a call. */
const normalEnd: ReadonlyArray<Field> = [["reason", 'Q.850;cause=16;text="Normal call clearing"']]

export interface UserAgent {
  /** Finds the addresses of a trunk's server, the first to try first. */
  readonly find: (server: Server) => Effect.Effect<Arr.NonEmptyReadonlyArray<Hop>, Routes.ServerUnreachable>
  /** Reads messages from these addresses from now on. */
  readonly know: (addresses: ReadonlyArray<string>) => void
  /**
   * Places a call. Calls `provisional` when it rings and for early media, and `arrived` when the trunk has received an
   * INVITE, also for each repetition with credentials. Closing the scope cancels the call or hangs it up.
   */
  readonly place: (
    order: Order,
    provisional: Provisional,
    arrived?: (invitation: Invitation) => void,
  ) => Effect.Effect<Placed, never, Scope.Scope>
  /** Places a call and waits for its answer. */
  readonly invite: (order: Order, provisional: Provisional) => Effect.Effect<Answered, Declined, Scope.Scope>
  /** Sends an OPTIONS request. Returns the final response, or why there was none. */
  readonly ask: (question: Question) => Effect.Effect<Result>
  /** Prepares the registration of a number at its trunk's server. */
  readonly registration: (number: string, trunk: SipTrunk) => Registration
  /** Registers or unregisters the number. Returns the server's final response, or why there was none. */
  readonly register: (registration: Registration, hop: Hop, isEnd: boolean) => Effect.Effect<Result>
  /** Sets the handler of incoming calls. It must refuse or answer each of them. */
  readonly receive: (handler: (call: IncomingCall) => void) => void
  /** Hangs up and completes `over` when the peer has nothing left of the call. Returns then, or after three seconds. */
  readonly finish: (session: Session, over: Deferred.Deferred<void>) => Effect.Effect<void>
  /** Hangs up an answered call. Returns when the peer has confirmed it, or after three seconds. */
  readonly hangUp: (session: Session) => Effect.Effect<void>
  /** Like `hangUp`, but waits as long as the peer may take: 32 seconds. */
  readonly bye: (session: Session) => Effect.Effect<void>
  /** Cancels another process's call by the INVITE that it stored. Returns the trunk's response. */
  readonly cancel: (invitation: Invitation) => Effect.Effect<Result>
  /** Continues the stored dialog of another process, in order to hang up. */
  readonly adopt: (dialog: Dialog, credentials: Credentials | null) => Session
  readonly localPort: Sender["localPort"]
  /** The numbers of open sessions and transactions. */
  readonly count: () => { readonly sessions: number; readonly transactions: number }
}

export interface UserAgentOptions {
  readonly listener: SipListener
  readonly bind: Wire.WireOptions["bind"]
  readonly isOwnNetwork: (address: string) => boolean
  /** Whether a number's trunk sends from this address. */
  readonly isTrunk?: (address: string) => boolean
  /** Handles each incoming call until `receive` sets another handler. */
  readonly incoming: (call: IncomingCall) => void
  /** PEM of an authority that is trusted beside the usual ones. */
  readonly ca?: string
}

const finish: UserAgent["finish"] = (session, over) =>
  Effect.sync(() => session.bye(normalEnd, () => Deferred.doneUnsafe(over, Effect.void))).pipe(
    Effect.andThen(Deferred.await(over)),
    Effect.interruptible,
    Effect.timeoutOption(closesWithin),
    Effect.asVoid,
  )

const makePlace = (endpoint: Endpoint): UserAgent["place"] =>
  Effect.fnUntraced(function* (order, provisional, arrived = () => {}) {
    const settled = yield* Deferred.make<Answered, Declined>()
    const over = yield* Deferred.make<void>()
    const call = endpoint.call(order, {
      arrived,
      provisional,
      answered: (session, answer) => Deferred.doneUnsafe(settled, Effect.succeed({ session, answer })),
      refused: (refusal) => {
        Deferred.doneUnsafe(settled, Effect.fail(new Declined(refusal)))
        Deferred.doneUnsafe(over, Effect.void)
      },
    })
    const acknowledge = Effect.sync(() => call.acknowledge())
    const end = Effect.sync(() => call.cancel(normalEnd)).pipe(
      Effect.andThen(Deferred.await(settled)),
      Effect.matchEffect({
        onFailure: () => Effect.void,
        onSuccess: ({ session }) => Effect.andThen(acknowledge, finish(session, over)),
      }),
      Effect.andThen(Deferred.await(over)),
      Effect.interruptible,
      Effect.timeoutOption(closesWithin),
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => call.invite()),
      () => end,
    )
    return { settled, acknowledge, over }
  })

/** Opens the sockets. Closing the scope closes them and drops the calls that are open then. */
export const open = Effect.fn("Sip.open")(function* (options: UserAgentOptions) {
  const { isOwnNetwork, isTrunk = () => false, listener } = options
  let { incoming } = options
  const guard = yield* AddressGuard
  const clock = yield* Clock.Clock
  const known = new KnownAddresses(() => clock.currentTimeMillisUnsafe(), isOwnNetwork)
  const records = yield* ServiceRecords
  const { avoid, find, resolve } = yield* Routes.make({
    guard,
    records,
    isOwnNetwork,
    known,
    publicHosts: listener.hosts,
  })
  const schedule = yield* makeSchedule
  const take: Wire.WireOptions["receive"] = (message, source) => endpoint.take(message, source)
  const { bind, ca } = options
  const { port, tls } = listener
  const knows = (address: string) => known.has(address) || isTrunk(address)
  const sender = yield* Wire.open({ bind, port, tls, knows, receive: take, ...(ca === undefined ? {} : { ca }) })
  const endpoint = new Endpoint({ sender, schedule, resolve, avoid, incoming: (call) => incoming(call) })
  yield* Effect.addFinalizer(() => Effect.sync(() => endpoint.transactions.close()))

  const bye = (session: Session) => Effect.callback<void>((resume) => session.bye(normalEnd, () => resume(Effect.void)))
  const hangUp = (session: Session) => Effect.asVoid(Effect.timeoutOption(bye(session), closesWithin))

  const place = makePlace(endpoint)
  const invite: UserAgent["invite"] = (order, provisional) =>
    Effect.flatMap(place(order, provisional), ({ acknowledge, settled }) =>
      Effect.tap(Deferred.await(settled), () => acknowledge),
    )

  const cancel: UserAgent["cancel"] = (invitation) =>
    Effect.callback((resume) => {
      known.add(invitation.place.address)
      endpoint.transactions.cancel(invitation, normalEnd, (result) => {
        if (!isProvisional(result)) resume(Effect.succeed(result))
      })
    })

  const receive: UserAgent["receive"] = (handler) => void (incoming = handler)
  const know: UserAgent["know"] = (addresses) => addresses.forEach((address) => known.add(address))

  const adopt: UserAgent["adopt"] = (dialog, credentials) =>
    new Session(dialog, "", endpoint.callParts, new Authoriser(credentials), true)

  const count = () => ({ sessions: endpoint.sessions.size, transactions: endpoint.transactions.size })
  const ways = { find, know, place, invite, receive, finish, hangUp, bye, cancel, adopt }
  const requests = makeRequests(endpoint, avoid)
  return { ...ways, ...requests, localPort: sender.localPort, count } satisfies UserAgent
})

/** Requests outside a call: OPTIONS and REGISTER. If a server fails, its address is avoided for a while. */
const makeRequests = (endpoint: Endpoint, avoid: (hop: Hop) => void) => {
  const judge = (hop: Hop, result: Result) =>
    Effect.sync(() => {
      if (isServerFailure(result)) avoid(hop)
      return result
    })

  const ask: UserAgent["ask"] = (question) =>
    Effect.callback((resume) => {
      const stop = askTrunk(question, endpoint.callParts, (result) => resume(judge(question.hop, result)))
      return Effect.sync(stop)
    })

  const registration: UserAgent["registration"] = (number, trunk) => new Registration(number, trunk, endpoint.callParts)
  const register: UserAgent["register"] = (one, hop, isEnd) =>
    Effect.callback((resume) => {
      const stop = one.send(hop, isEnd, (result) => resume(judge(hop, result)))
      return Effect.sync(stop)
    })

  return { ask, registration, register }
}

/** Timers are fibers, so that they follow Effect's clock; none of them runs after the scope has closed. */
const makeSchedule = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Set<() => void>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const cancel of waiting) cancel()
    }),
  )
  const schedule: Schedule = (ms, react) => {
    const due = Effect.sync(() => {
      waiting.delete(cancel)
      react()
    })
    // Never fires at once: a state machine finishes its transition before its next timer is due.
    const fiber = run(Effect.yieldNow.pipe(Effect.andThen(Effect.sleep(ms)), Effect.andThen(due)))
    const cancel = () => {
      waiting.delete(cancel)
      fiber.interruptUnsafe()
    }
    waiting.add(cancel)
    return cancel
  }
  return schedule
})

/** Null: SIP is off, because PARLEY_SIP_PORT is not set. */
export class Sip extends Context.Service<Sip, UserAgent | null>()("telephony/sip/Sip") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { isOwnNetwork, listener } = yield* SipSettings
      const trunks = yield* TrunkAddresses
      if (listener === null) return null
      const incoming = (call: IncomingCall) => call.refuse(480)
      return yield* open({ listener, bind: ["0.0.0.0", "::"], isOwnNetwork, isTrunk: trunks.has, incoming })
    }),
  )
}
