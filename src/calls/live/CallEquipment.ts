/** Reads what a call needs in addition to its row: its agent, with tools and answers, and the number it comes from. */
import { Effect, Option, Schedule } from "effect"
import * as AgentKit from "../../catalog/AgentKit.ts"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { IntendedCall } from "../ledger/Intent.ts"
import type { Session } from "./CallSession.ts"
import { InAccount } from "./InAccount.ts"
import * as MuteAgents from "./MuteAgents.ts"

export type CallEquipment = Pick<Session, "kit" | "number">

/** How long reading the agent is retried while the database is unreachable. */
const equipRetry = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "20 seconds" }))

/** Calls with the same key have the same equipment. */
export const keyOf = ({ agent_id, agent_version, phone_number_id }: IntendedCall): string =>
  `${agent_id} ${agent_version} ${phone_number_id}`

/** Returns the function that equips a call, or returns the reason why the call cannot be made. */
export const make = Effect.gen(function* () {
  const inAccount = yield* InAccount
  const isMute = yield* MuteAgents.make
  const telephony = yield* Telephony

  const read = Effect.fnUntraced(function* ({ agent_id, agent_version, phone_number_id }: IntendedCall) {
    const kit = yield* Effect.option(AgentKit.find(agent_id, agent_version))
    if (Option.isNone(kit)) return { missing: "agent_missing" } as const
    const number = yield* Effect.option(PhoneNumbers.findForCarrier(phone_number_id))
    if (Option.isNone(number)) return { missing: "phone_number_missing" } as const
    const { carrier } = number.value
    const isPossible = telephony.dials(carrier) && !isMute(carrier, kit.value.agent.model)
    if (!isPossible) return { missing: "carrier_unavailable" } as const
    const equipment: CallEquipment = { kit: kit.value, number: number.value }
    return equipment
  })

  return (tenant: AccountEntry, call: IntendedCall) =>
    inAccount(tenant)(read(call)).pipe(
      Effect.catchDefect((defect) => Effect.fail(defect)),
      Effect.retry(equipRetry),
      Effect.catch((defect) =>
        Effect.as(Effect.logError("reading the agent of a call failed", defect), { missing: "agent_error" } as const),
      ),
    )
})
