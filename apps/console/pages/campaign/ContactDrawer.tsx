/** One contact: its next call, each attempt with the reason for it, and its row in the list. */
import { IconBan } from "@tabler/icons-react"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { beat, useZone } from "../../data/AccountPulse.ts"
import { givenName, nameOf } from "../../data/Contacts.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { CopyText } from "../../ui/CopyText.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Key } from "../../ui/Key.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { ErasePerson } from "../calls/ErasePerson.tsx"
import { Attempts } from "./Attempts.tsx"
import { CallbackActs } from "./CallbackActs.tsx"
import { calledAgain } from "./CalledAgain.ts"
import { useCampaign } from "./CurrentCampaign.ts"
import { useHours } from "./SettingsLine.ts"
import { WithdrawContact } from "./WithdrawContact.tsx"
import "./ContactDrawer.css"

const ban = <IconBan aria-hidden />

export interface ContactDrawerProps {
  readonly id: string
  /** The id of the open attempt. */
  readonly attempt: string | undefined
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}

export const ContactDrawer = ({ attempt, id, onClose, onStep }: ContactDrawerProps) => {
  const { slug } = useAccount()
  const campaign = useCampaign()
  const rpc = useRpc()
  const zone = useZone()
  const now = useNow()
  const hours = useHours(campaign)
  const isOver = campaign.ended_at !== null && campaign.counts.in_progress === 0
  const { data, error, refetch } = useQuery(
    rpc.campaigns.contacts.get.queryOptions(
      { campaign_id: campaign.id, contact_id: id },
      { refetchInterval: isOver ? false : beat },
    ),
  )
  useShortcut("J", "Next contact", () => onStep(1))
  useShortcut("K", "Contact before", () => onStep(-1))
  const head = (
    <>
      <span className="second-line">
        {data === undefined ? "Row" : `Row ${count(data.position)} of ${count(campaign.counts.total)}`}
      </span>
      <span className="ContactDrawer-keys">
        <Key>J</Key>
        <Key>K</Key> <span className="second-line">next, previous</span>
      </span>
    </>
  )
  if (data === undefined) {
    return (
      <Drawer label="Contact" head={head} onClose={onClose}>
        {error === null ? (
          <Loading label="Contact" />
        ) : (
          <Failed
            what="The contact"
            error={error}
            onRetry={refetch}
            notFound="There is no contact with this id in this campaign."
          />
        )}
      </Drawer>
    )
  }
  const said = calledAgain(data, campaign, hours ?? null, now, zone)
  return (
    <Drawer label={nameOf(data)} head={head} onClose={onClose}>
      <div className="ContactDrawer-part">
        <div className="ContactDrawer-name">
          <h2>{givenName(data) ?? formatNumber(data.phone_number)}</h2>
          {data.phone_number !== null && <NeverCall number={data.phone_number} />}
        </div>
        {data.phone_number !== null && (
          <p className="mono quiet">
            <CopyText text={data.phone_number} shown={formatNumber(data.phone_number)} label="the number" />{" "}
            <Link to="/$account/people/$number" params={{ account: slug, number: data.phone_number }}>
              All campaigns and calls
            </Link>
          </p>
        )}
        {data.additional_numbers.length > 0 && (
          <p className="second-line">{`Also ${data.additional_numbers.map((number) => formatNumber(number)).join(", ")}`}</p>
        )}
        <div className="ContactDrawer-again">
          <p className="panel-title">{said.first}</p>
          {said.second !== undefined && <p className="second-line">{said.second}</p>}
          {data.priority > 0 && <p className="second-line">{`Priority ${data.priority} of 100.`}</p>}
          <CallbackActs campaignId={campaign.id} contact={data} onDone={() => void refetch()} />
        </div>
        <Attempts contact={data} opened={attempt} />
      </div>
      <div className="ContactDrawer-part ContactDrawer-variables">
        <h3 className="panel-title">Variables</h3>
        <dl>
          {Object.entries(data.custom_fields).map(([name, value]) => (
            <div key={name}>
              <dt className="mono quiet">{name}</dt>
              <dd>{value === "" ? <span className="quiet">empty</span> : value}</dd>
            </div>
          ))}
        </dl>
      </div>
      {data.phone_number !== null && (
        <div className="ContactDrawer-part">
          <div className="ContactDrawer-acts">
            <WithdrawContact contact={data} />
            <ErasePerson number={data.phone_number} size="row" />
          </div>
        </div>
      )}
    </Drawer>
  )
}

const saySuppressed = (number: string, onAct: () => void) =>
  notice({ icon: ban, text: `${formatNumber(number)} is on the do-not-call list.`, act: { word: "Undo", onAct } })

const NeverCall = ({ number }: { readonly number: string }) => {
  const mayChange = useMayChange()
  const client = useRpcClient()
  const add = useMutation({
    mutationFn: () => client.suppressions.add.mutate({ phone_number: number, reason: "Added by hand" }),
    onSuccess: () => saySuppressed(number, () => void client.suppressions.remove.mutate({ phone_number: number })),
  })
  if (!mayChange) return null
  return (
    <div>
      <Button
        look="stop"
        size="row"
        icon={ban}
        isDisabled={add.isPending || add.isSuccess}
        onPress={() => add.mutate()}
      >
        Never call
      </Button>
      {add.isError && <ProblemLine problem={problemOf(add.error)} />}
    </div>
  )
}
