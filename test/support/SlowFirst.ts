/**
 * The order of test files. Those that take twenty seconds or more come first, so that no worker begins one when the
 * others have finished. Among them, files with telephones alternate with others: they talk in real time, and lose
 * sound if all are served at once. Without its cache, as in a fresh clone, vitest orders files by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["chaos/chaos", "chaos/chaos-of-sound", "cluster/Cells", "cli/AccountsMove", "model/histories-a"],
  ...["model/histories-b", "cluster/Outages", "http/DocsSamples", "tools/sandbox/Sandbox", "cluster/Placement"],
  ...["tools/sandbox/Escapes", "cluster/Spread", "decisions/carriers", "http/Fuzz", "calls/callers/SippCalling"],
  ...["calls/live/WarmTransfer", "cli/SeveralServers", "telephony/twilio/TwilioStreams", "cli/MovesThatFail"],
  ...["telephony/telnyx/TelnyxStreams", "decisions/tools-act-once", "telephony/twilio/TwilioRecovery"],
  ...["campaigns/ImportLoop", "calls/live/DistantCalls", "decisions/widget-moves", "console/Phone"],
  ...["offload/EventLoop", "telephony/sip/SipCarrier", "decisions/python-tools", "decisions/takeovers"],
  ...["http/edge/SlowReaders", "calls/callers/Registrations", "journeys/demo", "telephony/twilio/TwilioRejoin"],
  ...["tenancy/RestoreDrill", "recording/RecordedCalls", "rpc/Fuzz", "decisions/widget-voice"],
  ...["tools/sandbox/Snapshot", "decisions/widget-realtime", "archive/Move", "widget/Voice", "decisions/campaigns"],
  ...["console/Viewer", "decisions/outcomes", "calls/callers/BadCallers", "cli/Parley", "decisions/live-words"],
  ...["console/LongLists", "phone/Baresip", "events/Crash", "telephony/telnyx/TelnyxRecovery", "rpc/SocketBounds"],
  ...["console/Stream", "rpc/Client", "decisions/listening", "widget/WidgetMoves", "events/Takeover"],
  ...["calls/live/HandOuts", "console/Settings", "campaigns/Recovery", "calls/Calls", "http/edge/Bodies"],
  ...["console/Agents", "decisions/webhooks", "console/Safe", "decisions/pacing", "console/Story", "calls/CallEnds"],
  ...["console/Finding", "rpc/LiveViews", "decisions/standing", "decisions/calls-csv", "ops/NginxOfCells"],
  ...["audit/AuditLog", "spec/6-events", "campaigns/DecisionsCsv", "http/edge/RequestTarget", "decisions/lab"],
  ...["cli/RotateKey", "conversation/ModelTalk", "console/LiveFigures", "calls/live/PressedDigits", "ops/Nginx"],
  ...["calls/callers/TrunkCallers", "ops/Helm", "decisions/suppression-lists", "phone/EarlySound"],
  ...["decisions/agent-restore", "calls/callers/TelnyxCallers", "decisions/tools-cut-anywhere", "phone/Sipp"],
  ...["tenancy/UnfinishedAccounts", "decisions/running", "monitor/Monitor", "decisions/preflight", "events/Courier"],
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
