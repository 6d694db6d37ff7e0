/** The monitor's output: a screen that is redrawn, plain lines, or JSON for other programs. */
import { Chalk, type ColorSupportLevel } from "chalk"
import { createLogUpdate } from "log-update"
import type { Board, Row } from "./Board.ts"
import * as Screen from "./Screen.ts"
import type { Message } from "./Snapshot.ts"
import * as Words from "./Words.ts"

export interface Output {
  /** Prints a message. JSON output passes its text on unchanged. */
  readonly message: (row: Row, message: Message) => void
  /** Prints a note. */
  readonly note: (at: Date, text: string) => void
  /** Shows the present state. Called repeatedly. */
  readonly show: (board: Board, now: Date) => void
  /** Prints the result of a campaign that has ended. */
  readonly end: (row: Row) => void
  /** Restores the terminal. */
  readonly close: () => void
}

/** The width of lines that do not go to a terminal, in columns. */
const usual = 81

const nothing = () => undefined

/** The colour depth that Node detects (4, 8 or 24 bits), or none under NO_COLOR. */
const levelOf = (stream: NodeJS.WriteStream): ColorSupportLevel => {
  const depth = stream.isTTY ? stream.getColorDepth() : 1
  return depth >= 24 ? 3 : depth >= 8 ? 2 : depth >= 4 ? 1 : 0
}

const chalkOf = (stream: NodeJS.WriteStream) => new Chalk({ level: levelOf(stream) })

export const json = (out: NodeJS.WriteStream, errors: NodeJS.WriteStream): Output => ({
  message: (_, { text }) => void out.write(`${text.replaceAll(/[\r\n]/g, " ")}\n`),
  note: (at, text) => void errors.write(`${Words.clock(at)} ${text}\n`),
  show: nothing,
  end: nothing,
  close: nothing,
})

export const plain = (out: NodeJS.WriteStream): Output => ({
  message: ({ campaign }, { snapshot }) => void out.write(`${Words.plain(campaign.name, snapshot)}\n`),
  note: (at, text) => void out.write(`${Words.clock(at)} ${text}\n`),
  show: nothing,
  end: (row) => void out.write(`\n${Screen.farewell(row, out.columns ?? usual, chalkOf(out)).join("\n")}\n\n`),
  close: nothing,
})

export const screen = (out: NodeJS.WriteStream, account: string, isOne: boolean): Output => {
  const update = createLogUpdate(out)
  const chalk = chalkOf(out)
  return {
    message: nothing,
    note: nothing,
    show: (board, now) => {
      const { columns, rows } = out
      update(Screen.draw(board, { account, chalk, columns, isOne, now, rows }).join("\n"))
    },
    end: (row) => {
      if (!isOne) return
      update.clear()
      update(`${Screen.farewell(row, out.columns, chalk).join("\n")}\n`)
    },
    close: () => update.done(),
  }
}
