/** The further numbers that a campaign calls from, and how it chooses among them. Each choice is saved at once. */
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ChooseNumber } from "../../choose/ChooseNumber.tsx"
import { useRefreshCampaigns } from "../../data/Campaigns.ts"
import { usePhoneNumber } from "../../data/PhoneNumber.ts"
import { problemOf } from "../../data/Problem.ts"
import { type RpcClient, useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { NumberRestFields } from "./NumberRestFields.tsx"
import "../../ui/SwitchGroup.css"
import "./CallerNumbers.css"

type Change = Pick<
  Parameters<RpcClient["campaigns"]["update"]["mutate"]>[0],
  "caller_numbers" | "local_presence" | "number_rest"
>

const staleTime = 60_000

export const CallerNumbers = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  // Changes are sent one after the other, because each sends a whole list or rule.
  const scope = { id: `caller numbers of ${campaign.id}` }
  const update = useMutation(rpc.campaigns.update.mutationOptions({ onSettled: useRefreshCampaigns(), scope }))
  const [changes, setChanges] = useState<Change>({})
  /** The saved settings with the changes that are being sent. Refused changes are dropped. */
  const shown = update.isPending ? { ...campaign, ...changes } : campaign
  const { local_presence, number_rest, phone_number_id } = shown
  const pool = shown.caller_numbers.filter((further) => further !== phone_number_id)
  const first = useQuery(rpc.phoneNumbers.get.queryOptions({ id: phone_number_id }, { staleTime })).data
  const available = useQuery(
    rpc.phoneNumbers.list.queryOptions(
      { page_size: 1, ...(first !== undefined && { carrier: first.carrier }) },
      { enabled: first !== undefined },
    ),
  ).data?.total
  const save = (change: Change) => {
    setChanges(update.isPending ? { ...changes, ...change } : change)
    update.mutate({ id: campaign.id, ...change })
  }
  return (
    <fieldset className="SwitchGroup">
      <legend>Caller numbers</legend>
      <p className="SwitchGroup-note">
        {pool.length > 0
          ? "People are called from the number that called them before, and otherwise from the one whose last call is the longest ago."
          : available === 1
            ? "The account has no further number with this carrier, so each call comes from the same one."
            : "Without further numbers, each call comes from the same one."}
      </p>
      {pool.length > 0 && (
        <ul className="CallerNumbers-chosen" aria-label="Further numbers">
          {pool.map((further) => (
            <Further
              key={further}
              id={further}
              onRemove={() => save({ caller_numbers: pool.filter((other) => other !== further) })}
            />
          ))}
        </ul>
      )}
      {first !== undefined && available !== undefined && available > pool.length + 1 && (
        <ChooseNumber
          form="field"
          label="Call from further numbers"
          placeholder="Add a number"
          carrier={first.carrier}
          chosen={null}
          without={[phone_number_id, ...pool]}
          onChoose={(further) => save({ caller_numbers: [...pool, further] })}
        />
      )}
      {pool.length > 0 && (
        <>
          <Switch isOn={local_presence} onChange={(isOn) => save({ local_presence: isOn })}>
            <span>
              Prefer a number from the called party’s area
              <span className="SwitchGroup-second">A number of their state, then one of their country.</span>
            </span>
          </Switch>
          <Switch isOn={number_rest !== null} onChange={(isOn) => save({ number_rest: isOn ? {} : null })}>
            <span>
              Let a number rest when its answers fall
              <span className="SwitchGroup-second">
                When clearly fewer of its calls are answered than of the others’, no campaign calls from it for a while.
              </span>
            </span>
          </Switch>
          {number_rest !== null && (
            <NumberRestFields rule={number_rest} onChange={(rule) => save({ number_rest: rule })} />
          )}
        </>
      )}
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
    </fieldset>
  )
}

const Further = ({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) => {
  const name = formatNumber(usePhoneNumber(id) ?? "…")
  return (
    <li>
      <span className="mono">{name}</span>
      <Button size="row" look="quiet" aria-label={`Remove ${name}`} onPress={onRemove}>
        Remove
      </Button>
    </li>
  )
}
