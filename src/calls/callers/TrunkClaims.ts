/** Finds the accounts that list a called number behind the trunk that the call came from. */
import { Cache, Effect } from "effect"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import { trunkOf } from "../../domain/SipConfig.ts"
import { TrunkAddresses } from "../../telephony/sip/TrunkAddresses.ts"
import type { TrunkCall } from "../../telephony/sip/TrunkCall.ts"
import { type CallSource, type Claim, InboundNumbers } from "../../tenancy/InboundNumbers.ts"

/** Answers are cached, so that a flood of calls to one number asks the database once a second. */
const kept = { capacity: 5_000, timeToLive: "1 second" } as const

interface Question {
  readonly numbers: ReadonlyArray<string>
  readonly source: CallSource
}

export const make = Effect.gen(function* () {
  const directory = yield* InboundNumbers
  const trunks = yield* TrunkAddresses

  const sourceOf = ({ source }: TrunkCall): CallSource => ({
    address: source,
    servers: [source, ...trunks.serversAt(source)],
  })
  const answers = yield* Cache.make({
    ...kept,
    lookup: (question: string) => {
      const { numbers, source }: Question = JSON.parse(question)
      return directory.claimsOn(numbers, source)
    },
  })

  /** Returns the claims in order. The first one receives the call; any other account listed the number later. */
  const claimsOn = (call: TrunkCall): Effect.Effect<ReadonlyArray<Claim>> => {
    const question: Question = { numbers: call.called.map(({ number }) => number), source: sourceOf(call) }
    return question.numbers.length === 0 ? Effect.succeed([]) : Cache.get(answers, JSON.stringify(question))
  }

  /** Whether this trunk calls the number, as the account's database has it. */
  const isCalled = (call: TrunkCall, claim: Claim, row: PhoneNumberRow): boolean => {
    const trunk = row.carrier === "sip" ? trunkOf(row.carrier_config) : null
    if (trunk === null || row.number !== claim.number) return false
    return sourceOf(call).servers.includes(trunk.host.toLowerCase()) || trunk.addresses.includes(call.source)
  }

  return { claimsOn, isCalled }
})
