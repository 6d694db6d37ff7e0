/**
 * Rejoins a Twilio call that its process has left. Twilio goes on without that process: it says its sentence to the end,
 * and then listens by instructions that any process gives. If this installation talks over media streams, Twilio is asked
 * for a new stream, to this process.
 */
import { Clock, Effect } from "effect"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import type { Words } from "../CarrierCalls.ts"
import * as LaterLine from "../LaterLine.ts"
import type * as LiveCall from "../rest/LiveCall.ts"
import type { Telephony } from "../Telephony.ts"
import type { TwilioApi } from "./TwilioApi.ts"
import type { Beginning } from "./TwilioInstructions.ts"
import * as TwilioTalk from "./TwilioTalk.ts"
import { urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** More instructions than one process gives in a call of four hours. */
const stepsOfOneProcess = 100_000

interface Parts extends TwilioTalk.Parts {
  readonly api: TwilioApi["Service"]
  readonly find: ReturnType<typeof LiveCall.make>
  readonly public_url: string | null
}

export const make = ({ api, find, public_url, ...speech }: Parts): Telephony["Service"]["rejoin"] =>
  Effect.fn("TwilioRejoin.rejoin")(function* (request, left) {
    const credentials = credentialsOf(request.carrier_config)
    if (public_url === null || credentials === null) return null
    const call = yield* find(request, left)
    if (call === null) return null
    const { feed, lookUp, sid, words } = call
    const beginning: Beginning = { heard_until: left.heard_until.getTime(), step: stepAfter(words) }
    const locale = Twiml.localeOf(request.language)
    const urls = urlsOf(public_url, request.account, request.call_id, locale)
    const talk = yield* TwilioTalk.prepare(speech, { beginning, credentials, locale, request, urls })
    if (talk.isOpenedByTwilio) {
      yield* request.confirmOwnership
      yield* Effect.ignore(api.update(credentials, sid, { Twiml: talk.twiml }))
    }
    const line = yield* talk.open({ api, beginning, credentials, feed, lookUp, request, sid, urls })
    return LaterLine.make(line, (yield* Clock.currentTimeMillis) - left.answered_at.getTime())
  })

/** Returns the number of a step that no process before has used, whether or not its instruction was reported yet. */
const stepAfter = (words: ReadonlyArray<Words>): number => {
  const steps = words.map(({ mark }) => Number(/^[a-z](\d+)/.exec(mark)?.[1] ?? 0))
  return (Math.floor(Math.max(0, ...steps) / stepsOfOneProcess) + 1) * stepsOfOneProcess
}
