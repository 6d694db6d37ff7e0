/** Moves or cancels the outstanding callback of a contact. */
import { IconPhoneX } from "@tabler/icons-react"
import { useState } from "react"
import { useMayChange } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useFields } from "../../data/Fields.ts"
import { nameOf } from "../../data/Contacts.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { CallbackMove } from "../../../../src/rpc/inputs/Campaigns.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { calledZone } from "../../words/CalledZone.ts"
import { placeOf, planned } from "../../words/Times.ts"
import { localInput, momentIn } from "../new-campaign/LocalTime.ts"
import "./CallbackActs.css"

type Contact = Outputs["campaigns"]["contacts"]["get"]

export interface CallbackActsProps {
  readonly campaignId: string
  readonly contact: Contact
  /** Called when the contact has changed. */
  readonly onDone: () => void
}

export const CallbackActs = ({ campaignId, contact, onDone }: CallbackActsProps) => {
  const mayChange = useMayChange()
  const client = useRpcClient()
  const [asks, setAsks] = useState<"move" | "cancel">()
  if (!mayChange || contact.callback_at === null || contact.status !== "pending") return null
  const close = () => setAsks(undefined)
  const name = nameOf(contact)
  return (
    <div className="CallbackActs">
      <Button size="row" onPress={() => setAsks("move")}>
        Move…
      </Button>
      <Button size="row" look="stop" onPress={() => setAsks("cancel")}>
        Cancel callback…
      </Button>
      {asks === "move" && <MoveCallback campaignId={campaignId} contact={contact} onDone={onDone} onClose={close} />}
      <Confirm
        question={`Cancel the callback to ${name}?`}
        lines={[
          { icon: <IconPhoneX size={14} aria-hidden />, text: "They were promised a call and won't get it." },
          {
            icon: <IconPhoneX size={14} aria-hidden />,
            text: "The contact is completed, since they were reached before.",
          },
        ]}
        verb="Cancel the callback"
        leave="Keep it"
        onConfirm={async () => {
          await client.campaigns.callbacks.cancel.mutate({ campaign_id: campaignId, contact_id: contact.id })
          notice({ text: `${name} is not called back.` })
          onDone()
        }}
        isOpen={asks === "cancel"}
        onClose={close}
      />
    </div>
  )
}

const MoveCallback = ({
  campaignId,
  contact,
  onClose,
  onDone,
}: CallbackActsProps & { readonly onClose: () => void }) => {
  const accountZone = useZone()
  const now = useNow()
  const client = useRpcClient()
  const zone = calledZone(contact, accountZone)
  const draft = useFields(() => ({ time: localInput(new Date(contact.callback_at ?? now), zone) }))
  const key = { campaign_id: campaignId, contact_id: contact.id }
  const at = momentIn(draft.value.time, zone)?.toISOString() ?? ""
  const move = async () => {
    const { callback_at } = await client.campaigns.callbacks.move.mutate({ ...key, at })
    notice({
      text: `${nameOf(contact)} is called back ${planned(new Date(callback_at ?? at), now, zone)} in ${placeOf(zone)}.`,
    })
    onDone()
    onClose()
  }
  return (
    <FormDialog
      title={`When is ${nameOf(contact)} called back?`}
      verb="Move the callback"
      schema={CallbackMove}
      draft={draft}
      value={{ ...key, at }}
      onSubmit={move}
      onClose={onClose}
    >
      {({ problems }) => (
        <Field
          label={`Time in ${placeOf(zone)}`}
          type="datetime-local"
          value={draft.value.time}
          onChange={(time) => draft.set("time", time)}
          hint="Outside calling hours it moves to the next time they open."
          problem={problems["at"]}
        />
      )}
    </FormDialog>
  )
}
