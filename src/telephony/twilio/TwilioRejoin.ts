/**
 * Rejoins a Twilio call that its process has left. Twilio goes on without that process: it says its sentence to the end,
 * and then listens by instructions that any process gives. If this installation talks over media streams, Twilio is asked
 * for a new stream, to this process.
 */
import { Clock, Effect } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import type { Words } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import * as LaterLine from "../LaterLine.ts"
import type * as CallOrder from "../rest/CallOrder.ts"
import type { OrderingCarrier } from "../rest/CallsAtCarrier.ts"
import type { Telephony } from "../Telephony.ts"
import type { TwilioApi } from "./TwilioApi.ts"
import type { Beginning } from "./TwilioInstructions.ts"
import * as TwilioTalk from "./TwilioTalk.ts"
import { urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** How often Twilio is asked about the call: reports can be lost. */
const asksEvery = "15 seconds"
/** More instructions than one process gives in a call of four hours. */
const stepsOfOneProcess = 100_000

interface Parts extends TwilioTalk.Parts {
  readonly api: TwilioApi["Service"]
  readonly carrier: OrderingCarrier
  readonly feeds: CarrierFeeds["Service"]
  readonly order: ReturnType<typeof CallOrder.make>
  readonly public_url: string | null
}

export const make = ({ api, carrier, feeds, order, public_url, ...speech }: Parts): Telephony["Service"]["rejoin"] =>
  Effect.fn("TwilioRejoin.rejoin")(function* (request, { answered_at, heard_until }) {
    const { account, call_id, carrier_config, language } = request
    const credentials = credentialsOf(carrier_config)
    const calls = carrier.callsOf(carrier_config)
    const find = Effect.orElseSucceed(feeds.find(account, call_id), () => null)
    const sid = (yield* find)?.sid ?? null
    if (public_url === null || credentials === null || calls === null || sid === null) return null
    const scope = yield* Effect.scope
    const feed = yield* feeds.follow(account, call_id)
    const ask = order.lookUp(request, calls, sid)
    yield* ask
    const row = yield* find
    if (row === null || isTerminal(row.status)) return null
    const now = yield* Clock.currentTimeMillis
    yield* Effect.addFinalizer(() => order.hangUp(request, calls, { ...request, started_at: answered_at }))
    yield* ask.pipe(Effect.delay(asksEvery), Effect.forever, Effect.forkIn(scope))
    const beginning: Beginning = { heard_until: heard_until.getTime(), step: stepAfter(row.words) }
    const locale = Twiml.localeOf(language)
    const urls = urlsOf(public_url, account, call_id, locale)
    const talk = yield* TwilioTalk.prepare(speech, { beginning, credentials, locale, request, urls })
    if (talk.isOpenedByTwilio) {
      yield* request.confirmOwnership
      yield* Effect.ignore(api.update(credentials, sid, { Twiml: talk.twiml }))
    }
    const line = yield* talk.open({ api, beginning, credentials, feed, lookUp: ask, request, sid, urls })
    return LaterLine.make(line, now - answered_at.getTime())
  })

/** Returns the number of a step that no process before has used, whether or not its instruction was reported yet. */
const stepAfter = (words: ReadonlyArray<Words>): number => {
  const steps = words.map(({ mark }) => Number(/^[a-z](\d+)/.exec(mark)?.[1] ?? 0))
  return (Math.floor(Math.max(0, ...steps) / stepsOfOneProcess) + 1) * stepsOfOneProcess
}
