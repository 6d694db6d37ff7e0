/** The members of an account and their roles, with the means to add, change and remove them. */
import { IconX } from "@tabler/icons-react"
import type { UseQueryResult } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { NewMember as Input } from "../../../src/rpc/inputs/Accounts.ts"
import { useAct } from "../data/Act.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { useFields } from "../data/Fields.ts"
import { Button } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { DraftField } from "../ui/DraftField.tsx"
import { Failed } from "../ui/Failed.tsx"
import { Field } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Loading } from "../ui/Loading.tsx"
import { ProblemLine } from "../ui/ProblemLine.tsx"
import { Radios } from "../ui/Radio.tsx"
import { SelectMenu } from "../ui/SelectMenu.tsx"
import { count, counted } from "../words/Figures.ts"
import "./Members.css"

type Member = Outputs["accounts"]["members"]["list"]["items"][number]
type Role = Member["role"]

const roles = [
  { value: "owner", word: "Owner", note: "Everything, including keys, webhooks and settings." },
  { value: "member", word: "Member", note: "Everything except keys, webhooks and settings." },
  { value: "viewer", word: "Viewer", note: "Can see everything, but change nothing." },
] as const

const who = ({ email, subject }: Member): string => email ?? subject ?? "this member"

const namingOf = ({ email, issuer, subject }: Member) =>
  email === null ? { ...(issuer !== null && { issuer }), ...(subject !== null && { subject }) } : { email }

type Naming = ReturnType<typeof namingOf>

/** `put` and `remove` call the server: an owner's for their own account, an administrator's for any. */
export interface MembersProps {
  readonly name: string
  readonly list: UseQueryResult<ReadonlyArray<Member>, unknown>
  readonly put: (member: Naming & { readonly role: Role }) => Promise<unknown>
  readonly remove: (member: Naming) => Promise<unknown>
  /** The user's own email. An owner cannot remove themselves. */
  readonly own?: string | null
}

/** The text that identifies a member: an email, or an issuer and a subject. */
export const memberKey = ({ email, issuer, subject }: Member): string =>
  [email, issuer, subject].filter((part) => part !== null).join(" ")

/** The most rows that are rendered; the search field finds the others. */
const shown = 100
/** A list longer than this gets a search field. */
const seenAtOnce = 20

export const Members = ({ list, name, own, put, remove }: MembersProps) => {
  const { data, error, refetch } = list
  const [isNew, setNew] = useState(false)
  const [asked, setAsked] = useState<Member>()
  const isRemoved = useRef(false)
  const [removals, setRemovals] = useState(0)
  const [typed, setTyped] = useState("")
  const { problem, run } = useAct()
  const searched = typed.trim().toLowerCase()
  const found = (data ?? []).filter((member) => memberKey(member).toLowerCase().includes(searched))
  return (
    <section aria-label="Members">
      <header className="Members-head">
        <h3 className="panel-title">{data === undefined ? "Members" : counted(data.length, "member")}</h3>
        {/* The row of a removed member had the focus, and is gone: the focus goes to this button. */}
        <Button key={removals} size="row" autoFocus={removals > 0} onPress={() => setNew(true)}>
          Add a member
        </Button>
      </header>
      {data !== undefined && (data.length > seenAtOnce || typed !== "") && (
        <div className="Members-find">
          <Field
            label={<span className="unseen">Find a member</span>}
            type="search"
            placeholder="Find a member"
            value={typed}
            onChange={setTyped}
          />
        </div>
      )}
      {data === undefined ? (
        error === null ? (
          <Loading label="Members" />
        ) : (
          <Failed what="The members" error={error} onRetry={refetch} />
        )
      ) : (
        <ul>
          {found.slice(0, shown).map((member) => (
            <li key={memberKey(member)} className="Members-member">
              <span>
                {who(member)}
                {member.issuer !== null && <span className="Table-second">{member.issuer}</span>}
              </span>
              {member.email !== null && member.email === own?.toLowerCase() ? (
                <span className="quiet">{member.role}, you</span>
              ) : (
                <>
                  <SelectMenu
                    form="plain"
                    label={`Role of ${who(member)}`}
                    chosen={member.role}
                    choices={roles.map(({ value, word }) => ({ id: value, word }))}
                    onChoose={(role) => void run(() => put({ ...namingOf(member), role: role as Role }))}
                  />
                  <Button size="row" look="stop" aria-label={`Remove ${who(member)}…`} onPress={() => setAsked(member)}>
                    Remove…
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && found.length === 0 && <p className="second-line">No member fits.</p>}
      {found.length > shown && (
        <p className="second-line">{count(found.length - shown)} more. Type to narrow the list.</p>
      )}
      <p className="second-line">People admitted by your identity provider aren’t listed.</p>
      {problem !== undefined && <ProblemLine problem={problem} />}
      {isNew && (
        <NewMember
          name={name}
          onClose={() => setNew(false)}
          onAdd={async (member) => {
            await put(member)
            setNew(false)
          }}
        />
      )}
      {asked !== undefined && (
        <Confirm
          question={`Remove ${who(asked)} from ${name}?`}
          lines={[{ icon: <IconX aria-hidden />, text: "They can no longer open this account." }]}
          verb="Remove"
          leave="Cancel"
          isOpen
          onClose={() => {
            setAsked(undefined)
            if (isRemoved.current) setRemovals((before) => before + 1)
            isRemoved.current = false
          }}
          onConfirm={async () => {
            await remove(namingOf(asked))
            isRemoved.current = true
          }}
        />
      )}
    </section>
  )
}

interface NewMemberProps {
  readonly name: string
  readonly onClose: () => void
  readonly onAdd: (member: { readonly email: string; readonly role: Role }) => Promise<void>
}

const NewMember = ({ name, onAdd, onClose }: NewMemberProps) => {
  const draft = useFields<{ email: string; role: Role }>({ email: "", role: "member" })
  const value = { ...draft.value, email: draft.value.email.trim() }
  return (
    <FormDialog
      title={`Add a member to ${name}`}
      verb="Add member"
      schema={Input}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={() => onAdd(value)}
    >
      {(form) => (
        <>
          <DraftField
            form={form}
            name="email"
            label="Email"
            type="email"
            autoFocus
            hint="The email their sign-in verifies. If they are already a member, this changes their role."
          />
          <Radios
            label="Role"
            isLabelSeen
            chosen={value.role}
            onChoose={(role) => draft.set("role", role)}
            choices={roles}
          />
        </>
      )}
    </FormDialog>
  )
}
