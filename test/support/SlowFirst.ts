/**
 * The order of test files: those that take a minute or more come first, so that no worker begins one while the others
 * are done. Without vitest's cache, as in a fresh clone, its own order is by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["tools/sandbox/Sandbox", "tools/sandbox/Escapes", "campaigns/Placement", "decisions/running"],
  ...["telephony/twilio/TwilioRecovery", "telephony/sip/SipCarrier", "offload/EventLoop", "decisions/carriers"],
  ...["rpc/Fuzz", "decisions/live-words", "journeys/demo", "tools/sandbox/Snapshot", "decisions/campaigns"],
  ...["console/Phone", "model/histories-a", "model/histories-b", "console/SignIn", "http/DocsSamples"],
  ...["events/Takeover", "decisions/widget-voice", "console/Story", "console/Secrets", "console/Agents"],
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? slow.length : rank
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
