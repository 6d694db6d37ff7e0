/**
 * Registers numbers at trunks that deliver calls only to a registered address (RFC 3261 §10). Among the processes that
 * share the databases, one holds each number, and another takes it over when that process dies.
 */
import { Context, Duration, Effect, Fiber, FiberMap, Layer, Schedule } from "effect"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { Node } from "../../cluster/Node.ts"
import type { Registered } from "../../domain/Registered.ts"
import { type SipTrunk, trunkOf } from "../../domain/SipConfig.ts"
import { SipCarrier } from "../../telephony/sip/SipCarrier.ts"
import * as TrunkRegistration from "../../telephony/sip/TrunkRegistration.ts"
import * as Readings from "../../telemetry/Readings.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import * as FairSemaphore from "../../tenancy/FairSemaphore.ts"
import { type Held, RegisteredNumbers } from "../../tenancy/RegisteredNumbers.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"

/** How often the holds are renewed: a third of the time for which a process holds a number. */
const checkEvery = "5 seconds"
/**
 * The most REGISTER requests in progress, and the most of one account that wait for a place. A silent server takes 32
 * s.
 */
const requests = { what: "registrations", places: 64, waiting: 100 }
/** The pause after an account's database could not be read, in milliseconds. */
const retryMs = 30_000

const warn = ({ phone_number_id, slug }: Held) =>
  Effect.annotateLogs(Effect.logWarning("a SIP number is not registered: its check says why"), {
    account: slug,
    phone_number: phone_number_id,
  })

interface Registrable {
  readonly number: string
  readonly trunk: SipTrunk
}

/** By number, whether its trunk accepted the last registration of this process. */
type Standings = Map<Held, boolean>

const readingsOf = (standings: Standings): ReadonlyArray<Readings.Reading> =>
  (["registered", "failed"] as const).map((state) => ({
    name: "parley_sip_registrations",
    description: "Numbers that this process registers at their trunks, by what the trunk last answered.",
    attributes: { state },
    read: () => [...standings.values()].filter((isRegistered) => isRegistered === (state === "registered")).length,
  }))

/** Returns the function that keeps a number registered until it is interrupted. */
const makeKeep = Effect.fnUntraced(function* (registrar: NonNullable<SipCarrier["Service"]["registrar"]>) {
  const standings: Standings = new Map()
  yield* Readings.register(readingsOf(standings))
  const accounts = yield* AccountDirectory
  const directory = yield* RegisteredNumbers
  const node = yield* Node
  const tenants = yield* TenantDatabases
  const places = yield* FairSemaphore.make(requests)

  /** Reads the number; null if it was deleted or must not be registered. */
  const read = Effect.fnUntraced(function* ({ phone_number_id, slug }: Held) {
    const entry = yield* accounts.find(slug)
    const row = yield* tenants.open(entry).pipe(
      Effect.flatMap((tenant) => Effect.provideContext(PhoneNumbers.findForCarrier(phone_number_id), tenant)),
      Effect.scoped,
    )
    const trunk = row.carrier === "sip" ? trunkOf(row.carrier_config) : null
    return trunk?.register === true ? ({ number: row.number, trunk } satisfies Registrable) : null
  })

  const keepOne = Effect.fnUntraced(function* (held: Held) {
    const found = yield* Effect.orElseSucceed(read(held), () => null)
    // Waits: when the number's entry changes, this fiber is interrupted.
    if (found === null) return yield* Effect.never
    const { number, trunk } = found
    const registration = registrar(number, trunk)
    // A failure to write is ignored, so that the number stays registered while the database is unreachable.
    const note = (registered: Registered) =>
      Effect.catchCause(directory.note(held, node.id, registered), () => Effect.void)
    yield* Effect.addFinalizer(() => registration.unregister)
    yield* Effect.addFinalizer(() => Effect.sync(() => standings.delete(held)))
    let failures = 0
    while (true) {
      const pause = yield* registration.register.pipe(
        places.withPlace(held.slug),
        Effect.catchTag("ShareFull", ({ message }) => Effect.succeed(TrunkRegistration.failed(message))),
        Effect.flatMap(({ registered, seconds }) => Effect.as(note(registered), seconds)),
      )
      failures = pause === null ? failures + 1 : 0
      standings.set(held, failures === 0)
      if (failures === 1) yield* warn(held)
      yield* Effect.sleep(Duration.seconds(pause ?? TrunkRegistration.pauseAfter(failures)))
    }
  }, Effect.scoped)

  return (held: Held) =>
    keepOne(held).pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.annotateLogs(Effect.logWarning("registering a SIP number failed", cause), { account: held.slug }),
          Effect.sleep(retryMs),
        ),
      ),
    )
})

export class Registrations extends Context.Service<
  Registrations,
  {
    /** Unregisters all numbers, so that another process registers them and takes their calls. */
    readonly halt: Effect.Effect<void>
  }
>()("calls/callers/Registrations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { registrar } = yield* SipCarrier
      if (registrar === null) return { halt: Effect.void }
      const directory = yield* RegisteredNumbers
      const node = yield* Node
      const running = yield* FiberMap.make<string>()
      const keep = yield* makeKeep(registrar)
      const look = Effect.gen(function* () {
        const held = new Map((yield* directory.hold(node.id)).map((one) => [Object.values(one).join(" "), one]))
        const left = [...running].flatMap(([key]) => (held.has(key) ? [] : [key]))
        yield* Effect.forEach(left, (key) => FiberMap.remove(running, key), { concurrency: "unbounded" })
        for (const [key, one] of held) yield* FiberMap.run(running, key, keep(one), { onlyIfMissing: true })
      })
      const looking = yield* look.pipe(
        Effect.catchCause((cause) => Effect.logWarning("claiming the SIP numbers to register failed", cause)),
        Effect.repeat(Schedule.spaced(checkEvery)),
        Effect.forkScoped,
      )
      const halt = Effect.gen(function* () {
        yield* Fiber.interrupt(looking)
        yield* FiberMap.clear(running)
        yield* directory.release(node.id)
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("unregistering the SIP numbers failed", cause)))
      return { halt }
    }),
  )
}
