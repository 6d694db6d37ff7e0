/**
 * The order of test files. Those that take twenty seconds or more come first, so that no worker begins one when the
 * others have finished. Among them, files with telephones alternate with others: they talk in real time, and lose
 * sound if all are served at once. Without its cache, as in a fresh clone, vitest orders files by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["chaos/chaos", "chaos/chaos-of-sound", "model/histories-a", "model/histories-b"],
  ...["calls/live/WarmTransfer", "cli/AccountsMove", "telephony/twilio/TwilioStreams", "cluster/Placement"],
  ...["cli/SeveralServers", "telephony/telnyx/TelnyxStreams", "cli/MovesThatFail", "cli/RotateKey", "cluster/Spread"],
  ...["cli/Parley", "tenancy/RestoreDrill", "decisions/widget-moves", "decisions/outcomes"],
  ...["offload/EventLoop", "ops/Nginx", "ops/Helm", "widget/WidgetMoves"],
  ...["telephony/sip/SipCarrier", "tools/sandbox/Sandbox", "journeys/demo", "calls/callers/BadCallers"],
  ...["archive/Move", "decisions/running", "decisions/takeovers", "tenancy/UnfinishedAccounts"],
  ...["telephony/twilio/TwilioRecovery", "phone/Baresip", "tools/sandbox/Snapshot", "tools/sandbox/Escapes"],
  ...["recording/RecordedCalls", "console/LiveFigures", "decisions/carriers", "calls/callers/Registrations"],
  ...["http/DocsSamples", "console/Phone", "decisions/live-words", "monitor/Monitor", "decisions/listening"],
  ...["telephony/telnyx/TelnyxRecovery", "events/Takeover", "decisions/widget-voice", "http/edge/Bodies"],
  ...["console/Story", "phone/EarlySound", "console/Viewer", "decisions/campaigns", "widget/Voice", "spec/6-events"],
  ...["console/LongLists", "calls/callers/TrunkCallers", "decisions/stream", "rpc/SocketBounds", "http/Fuzz"],
  ...["decisions/standing", "phone/Killed", "decisions/widget-chat", "decisions/pacing", "console/SignIn"],
  ...["rpc/Fuzz", "decisions/lab", "decisions/deliveries", "tools/sandbox/Abandoned"],
  ...["spec/3-states", "rpc/LiveViews", "campaigns/Recovery", "events/Crash"],
  ...["http/edge/SlowReaders", "events/Courier", "decisions/preflight", "decisions/draining", "console/Stream"],
  ...["console/Agents", "http/edge/RequestTarget", "decisions/python-tools"],
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
