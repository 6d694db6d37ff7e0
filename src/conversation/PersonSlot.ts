/**
 * Holds the one person who talks, or wants to talk, in the agent's place, and executes the conductor's commands about
 * that person.
 */
import type { CallRecord, TakingPerson } from "./CallRecord.ts"
import type { Command } from "./Command.ts"
import type { TalkEvent } from "./TalkEvent.ts"

type PersonCommand = Extract<Command, { readonly _tag: "RefusePerson" | "ConnectPerson" | "ReleasePerson" }>

/** Lets supervisors take over the talk of this record, until `stop`. */
export const make = (record: CallRecord, post: (event: TalkEvent) => void) => {
  let person: TakingPerson | null = null
  const release = (tell: (person: TakingPerson) => void): void => {
    const before = person
    person = null
    if (before !== null) tell(before)
  }
  record.takeOver = (taking) => {
    if (person !== null) return null
    person = taking
    post({ _tag: "TakenOver" })
    return {
      said: ({ ended_ms, started_ms, text }) => post({ _tag: "PersonSaid", text, started_ms, ended_ms }),
      leave: (how) => post({ _tag: "PersonLeft", how }),
    }
  }
  return {
    /** The supervisor who talks; undefined if none does. */
    by: () => person?.by,
    execute: (command: PersonCommand): void => {
      if (command._tag === "ConnectPerson") person?.connect()
      else if (command._tag === "ReleasePerson") release(({ over }) => over("agent"))
      else release(({ refuse }) => refuse(command.why))
    },
    /** The talk has ended. */
    stop: () => {
      record.takeOver = null
      release(({ over }) => over("call"))
    },
  }
}
