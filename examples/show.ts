/** The output of the demo: steps, progress, the table of outcomes. Plain lines if there is no terminal. */
import cliProgress from "cli-progress"
import Table from "cli-table3"
import { styleText } from "node:util"
import type { Contact } from "./campaign.ts"
import type { Snapshot } from "./follow.ts"

/** Styles a text, unless there is no terminal or NO_COLOR is set. */
export const style = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

export const title = (text: string) => console.log(`\n${style("bold", text)}\n`)

export const step = (name: string, text: string) => console.log(`  ${style("green", "✔")} ${name.padEnd(10)} ${text}`)

export const hint = (text: string) => console.log(style("dim", text))

export interface Progress {
  readonly show: (snapshot: Snapshot) => void
  readonly end: () => void
}

/** A progress bar moves the cursor, so it is left out under the same conditions as colours. */
export const progress = (total: number): Progress =>
  process.stdout.isTTY && process.stdout.hasColors() ? bar(total) : lines()

const done = ({ counts }: Snapshot) => counts.completed + counts.failed + counts.skipped

const activity = ({ active_calls, waiting_for }: Snapshot) =>
  `${active_calls} on the phone${waiting_for === null ? "" : `, waiting: ${waiting_for.replaceAll("_", " ")}`}`

const bar = (total: number): Progress => {
  const line = new cliProgress.SingleBar({
    stream: process.stdout,
    format: `    ${style("cyan", "{bar}")} {value}/{total} · {dialed} calls · {activity}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 32,
    hideCursor: true,
  })
  line.start(total, 0, { dialed: 0, activity: "dialling" })
  return {
    show: (snapshot) => line.update(done(snapshot), { dialed: snapshot.dialed, activity: activity(snapshot) }),
    end: () => line.stop(),
  }
}

const lines = (): Progress => {
  let shown = ""
  return {
    show: (snapshot) => {
      const { counts, dialed, status } = snapshot
      const line = `    ${status}: ${done(snapshot)}/${counts.total} · ${dialed} calls · ${activity(snapshot)}`
      if (line !== shown) console.log(line)
      shown = line
    },
    end: () => undefined,
  }
}

const meanings: Record<string, string> = {
  answered: "a person talked with the agent",
  voicemail: "the agent left its message",
  no_answer: "it rang and was not answered",
  busy: "the line was busy",
  rejected: "declined, and not called again",
  invalid_number: "the number does not exist",
  carrier_error: "the carrier failed",
  unknown: "unknown; not called again",
}

/** Contacts by the outcome of their last call, beside all calls by outcome. The difference is the retries. */
export const outcomes = (contacts: ReadonlyArray<Contact>, last: Snapshot) => {
  const byOutcome = Map.groupBy(contacts, ({ outcome, skip_reason }) => outcome ?? skip_reason ?? "not called")
  const table = new Table({
    head: ["Outcome", "Contacts", "Calls", "What it means"].map((text) => style("bold", text)),
    colAligns: ["left", "right", "right", "left"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  })
  for (const outcome of new Set([...Object.keys(meanings), ...byOutcome.keys()])) {
    const count = byOutcome.get(outcome)?.length ?? 0
    const calls = last.outcomes[outcome] ?? 0
    if (count + calls > 0) table.push([outcome, count, calls, meanings[outcome] ?? ""])
  }
  table.push([style("bold", "total"), contacts.length, last.dialed, ""])
  console.log(table.toString())
}

/** Tells users who stay how to look at the results. */
export const howToSignIn = (url: string, account: string) => {
  title("The server stays up until Ctrl-C")
  const login = JSON.stringify({ email: `robin@${account}.example`, account })
  console.log(
    [
      `  The console:        ${url}/console/sign-in?account=${account}   (any email, no password)`,
      `  The API, described: ${url}/docs`,
      "",
      `  TOKEN=$(curl -s ${url}/api/login -H 'content-type: application/json' \\`,
      `    -d '${login}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      `  curl -s ${url}/api/v1/campaigns -H "Authorization: Bearer $TOKEN" -H 'X-Account-ID: ${account}'`,
      `  curl -s ${url}/api/v1/calls -H "Authorization: Bearer $TOKEN" -H 'X-Account-ID: ${account}'`,
      "",
    ].join("\n"),
  )
}
