/** Sound to and from a telephone whose RTP and SRTP were written by others. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { RtpPath } from "../../../src/telephony/rtp/RtpPath.ts"
import { RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import { CallSound } from "../../../src/telephony/sip/CallSound.ts"
import { baresip, baresipFault } from "../../support/Baresip.ts"
import { itInRealTime } from "../../support/RealTime.ts"
import { loopback, rtpSessions } from "../../support/RtpPeer.ts"
import { openAgent, orderTo } from "../../support/SipAgents.ts"
import { heard, joined, silence, spoken } from "../../support/ToneCode.ts"
import { toneLine } from "../../support/ToneLine.ts"
import { until } from "../../support/Until.ts"

const rate = 8_000
const question = joined(silence(1_500, rate), spoken("what are your opening hours", rate), silence(60_000, rate))

const talk = Effect.fnUntraced(function* (isEncrypted: boolean) {
  const far = yield* baresip({ says: question, isEncrypted })
  const agent = yield* openAgent()
  const session = yield* (yield* RtpSessions).open({ localAddress: loopback, isOwnNetwork: () => true })
  const sound = new CallSound(session, isEncrypted)
  const order = yield* orderTo(agent, { localPort: () => far.port }, "udp", { offer: sound.offer() })
  const { answer } = yield* agent.invite({ ...order, to: `sip:bob@${loopback}:${far.port}` }, () => {})
  const agreed = yield* Effect.fromResult(sound.accept(answer))
  assert.strictEqual(agreed.srtp !== null, isEncrypted)
  yield* session.agree(agreed)
  const { event, line } = yield* toneLine(new RtpPath(session), { heard: rate, spoken: rate })
  yield* line.play({ id: 1, text: "hello please wait", interruptible: true })
  assert.deepInclude(yield* event("Utterance"), { text: "what are your opening hours" })
  yield* Effect.promise(() => until(() => heard(far.heard(), rate).includes("wait")))
  assert.strictEqual(heard(far.heard(), rate), "hello please wait")
  const { late, lost, received } = session.quality()
  assert.isAtLeast(received, 100)
  assert.strictEqual(lost, 0)
  // Packets are late where the machine is: a busy one holds up either side.
  assert.isBelow(late, received / 10)
})

describe.skipIf(baresipFault !== undefined)("a call with baresip", () => {
  const test = (name: string, isEncrypted: boolean) =>
    itInRealTime(name, 60, talk(isEncrypted).pipe(Effect.scoped, Effect.provide(rtpSessions())))
  test("carries words both ways", false)
  test("carries words both ways, encrypted", true)
})
