/** Runs one of the state machines of `TransactionTables`: holds its state and its timers. */
import type { Schedule } from "./Timers.ts"
import type { Action, Event, Machine, State } from "./TransactionTables.ts"

export class RunningMachine {
  state: State
  private readonly machine: Machine
  private readonly isReliable: boolean
  private readonly schedule: Schedule
  private readonly act: (action: Action) => void
  private readonly ended: () => void
  private cancelResend = () => {}
  private cancelExpiry = () => {}

  constructor(
    machine: Machine,
    isReliable: boolean,
    schedule: Schedule,
    act: (action: Action) => void,
    ended: () => void,
  ) {
    this.machine = machine
    this.isReliable = isReliable
    this.schedule = schedule
    this.act = act
    this.ended = ended
    this.state = machine.start
    this.startTimers()
  }

  /** Returns false if the state ignores the event. */
  handle(event: Event): boolean {
    const move = this.machine.table[this.state]?.[event]
    if (move === undefined) return false
    const [next, ...actions] = move
    if (next !== this.state) {
      this.state = next
      this.startTimers()
    }
    for (const action of actions) this.act(action)
    if (next === "terminated") this.ended()
    return true
  }

  /** Ends the machine without an action. */
  stop(): void {
    this.state = "terminated"
    this.cancelResend()
    this.cancelExpiry()
  }

  private startTimers(): void {
    this.cancelResend()
    if (this.state === "terminated") return this.cancelExpiry()
    const { expire, mostResend = Infinity, resend } = this.machine.timers(this.isReliable)[this.state] ?? {}
    if (resend !== undefined) this.startResend(resend, mostResend)
    if (expire === "keep") return
    this.cancelExpiry()
    if (expire !== undefined) this.cancelExpiry = this.schedule(expire, () => this.handle("expired"))
  }

  private startResend(pause: number, most: number): void {
    this.cancelResend = this.schedule(pause, () => {
      this.startResend(Math.min(pause * 2, most), most)
      this.handle("resendDue")
    })
  }
}
