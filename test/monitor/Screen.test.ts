import { assert, describe, it } from "@effect/vitest"
import { Chalk } from "chalk"
import stringWidth from "string-width"
import * as Board from "../../apps/monitor/Board.ts"
import * as Screen from "../../apps/monitor/Screen.ts"
import type { Snapshot } from "../../apps/monitor/Snapshot.ts"
import { plain } from "../../apps/monitor/Words.ts"
import { snapshot } from "./Snapshots.ts"

const now = new Date(2026, 10, 21, 14, 32, 6)
const look: Screen.Look = {
  account: "harbor-dental",
  columns: 81,
  rows: 40,
  chalk: new Chalk({ level: 0 }),
  now,
  isOne: false,
}

const boardOf = (...campaigns: ReadonlyArray<readonly [name: string, seen: Snapshot]>) =>
  campaigns.reduce((board, [name, seen], at) => {
    const id = String(at)
    return Board.onSnapshot(Board.add(board, { id, name, end_reason: null, ended_at: null }), id, seen, now.getTime())
  }, Board.empty)

const recall = ["November hygiene recall", snapshot()] as const
const checkIn = [
  "Post-op check-in",
  snapshot({
    counts: { total: 488, pending: 108, in_progress: 5, completed: 310, failed: 55, skipped: 10 },
    calls_per_minute: 7,
    eta_seconds: 1_980,
    waiting_for: "retry_delay",
    waiting: { ...snapshot().waiting, slots: { used: 5, limit: 6 } },
  }),
] as const
const pace = [4, 5, 4, 6, 5, 6, 4, 5, 5, 6, 5, 1, 1, 5, 6, 5, 6, 4, 5, 5]

describe("the monitor's last screen", () => {
  it("says when a campaign ended, not when its snapshot was requested", () => {
    const end = { end_reason: "finished", ended_at: new Date(2026, 10, 20, 9, 15, 4).toISOString() }
    const seen = snapshot({ status: "completed", at: now.toISOString() })
    const board = Board.onEnd(boardOf(["Yesterday", seen]), "0", end, now.getTime())
    const last = Screen.farewell(Board.find(board, "0")!, look.columns, look.chalk).at(-1)
    assert.strictEqual(last, "  completed 09:15:04, finished (end_reason finished).")
  })
})

describe("the monitor's screen", () => {
  it("is what the design shows", () => {
    const board = Board.note(
      Board.onPace(boardOf(recall, checkIn), "0", pace),
      new Date(2026, 10, 21, 14, 31, 12).getTime(),
      "connection lost, back after 0.6 s at event 5198, nothing missed",
    )
    assert.deepStrictEqual(Screen.draw(board, look), [
      "Parley  harbor-dental  2 running                                ● live  14:32:06",
      "",
      "November hygiene recall                             running, 8 of 8 slots in use",
      "██████████████████████▓▓▓▒▒░░░░╱···························  54%  1,297 of 2,400",
      "",
      "  ● answered           926  54%   ███████████████████████▋",
      "  ◐ voicemail          192  11%   ████▉",
      "  ○ no answer          421  24%   ██████████▊",
      "  ◒ busy                88   5%   ██▎",
      "  ⊘ declined            31   2%   ▊",
      "  × invalid number      22   1%   ▌",
      "  ▲ carrier error       40   2%   █",
      "  ◇ unknown              3  <1%   ▏",
      "",
      "  10 calls/min  ▆▇▆█▇█▆▇▇█▇▂▂▇█▇█▆▇▇   ends about 16:42 (2 h 10 min)",
      "  Every slot is in use. The next call starts when one ends.",
      "",
      "Post-op check-in                                    running, 5 of 6 slots in use",
      "█████████████████████████████████████░░░░░░░╱··············  77%      375 of 488",
      "  7 calls/min   ends about 15:05 (33 min)",
      "  Waiting for a retry: 46 contacts, the next at 14:34.",
      "",
      "14:31:12  connection lost, back after 0.6 s at event 5198, nothing missed",
      "",
      "q quit   ↑↓ campaign   ↵ its address   p plain lines",
    ])
  })
  it("fits from 40 columns up, whatever the names and figures", () => {
    const wild = snapshot({
      counts: { total: 100_000, pending: 1, in_progress: 0, completed: 99_999, failed: 0, skipped: 0 },
      outcomes: { answered: 99_999, "a new outcome with a long name": 1 },
      waiting_for: "calling_window",
    })
    const names = ["予約のお知らせ".repeat(10), "👨‍👩‍👧‍👦".repeat(30), "", "x".repeat(200)]
    const board = boardOf(recall, checkIn, ...names.map((name) => [name, wild] as const))
    const torn = Board.onCut(board, "1", "x".repeat(300), now.getTime() - 12_000)
    for (let columns = 41; columns <= 140; columns += 3) {
      for (const rows of [12, 24, 60]) {
        const lines = Screen.draw(torn, { ...look, columns, rows })
        for (const line of lines) assert.isAtMost(stringWidth(line), Math.min(80, columns - 1), line)
      }
    }
  })
  it("has the chosen campaign on a small terminal, and says how many are not shown", () => {
    const many = boardOf(...Array.from({ length: 12 }, (_, at) => [`Campaign ${at}`, snapshot()] as const))
    const last = Array.from({ length: 20 }).reduce<Board.Board>((board) => Board.choose(board, 1), many)
    const lines = Screen.draw(last, { ...look, rows: 30 })
    assert.isAtMost(lines.length, 29)
    assert.isTrue(lines.some((line) => line.startsWith("Campaign 11")))
    assert.isTrue(lines.some((line) => /^… \d+ more campaigns$/.test(line)))
  })
  it("keeps the figures of a stream that is cut, and says how old they are", () => {
    const lines = Screen.draw(Board.onCut(boardOf(recall), "0", "read ECONNRESET", now.getTime() - 12_000), look)
    assert.include(lines[0], "○ connection lost")
    assert.isTrue(lines.some((line) => line.endsWith("54%  1,297 of 2,400")))
    assert.include(lines.join(" "), "Connection lost 12 s ago: read ECONNRESET.")
  })
  it("lets no name write to the terminal", () => {
    const hostile = "\u001b[2J\u001b]0;title\u0007Re\u202Ecall\r\n"
    const text = Screen.draw(boardOf([hostile, snapshot()]), look).join("\n")
    assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202e]/u)
    assert.include(text, "Recall")
  })
  it.each([
    ["concurrent_cap", "All 20 call slots of the account are in use."],
    ["per_minute_cap", "The limit of 60 calls per minute is reached."],
    ["daily_cap", "Today's limit of 10,000 calls is reached."],
    ["calling_window", "Outside calling hours for every contact that is left."],
    ["budget", "Needs 8 slots, 6 free."],
    ["retry_delay", "Waiting for a retry: 46 contacts, the next at 14:34."],
    ["carrier", "Paused automatically"],
    ["something_new", "Waiting: something new."],
  ])("says in words that it waits for %s", (waiting_for, words) => {
    assert.include(Screen.draw(boardOf(["Recall", snapshot({ waiting_for })]), look).join(" "), words)
  })
})

describe("what happened beside the figures", () => {
  const later = (change: Partial<Snapshot>) =>
    Board.onSnapshot(boardOf(recall), "0", snapshot(change), now.getTime()).notes.map(({ text }) => text)

  it("has a line for a campaign that was paused", () => {
    assert.deepStrictEqual(later({ status: "paused" }), ["is paused"])
  })
  it("has a line for calls that the carrier failed, from five on", () => {
    const failed = (carrier_error: number) => later({ outcomes: { ...snapshot().outcomes, carrier_error } })
    assert.deepStrictEqual(failed(44), [])
    assert.deepStrictEqual(failed(45), ["5 more calls failed at the carrier"])
  })
  it("has a line for a stream that was cut and is back", () => {
    const cut = Board.onCut(boardOf(recall), "0", "read ECONNRESET", now.getTime())
    const [note] = Board.onBack(cut, "0", "5198", now.getTime() + 600).notes
    assert.strictEqual(note?.text, "connection lost (read ECONNRESET), back after 0.6 s at event 5198, nothing missed")
  })
})

describe("a plain line", () => {
  it("says everything once", () => {
    assert.strictEqual(
      plain("November hygiene recall", snapshot()),
      "14:32:06 November hygiene recall running 1297/2400 54% in-call 8 rate 10/min eta 2h10m waiting -",
    )
  })
})
