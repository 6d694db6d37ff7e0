/** Who is in an account, with which role; adding somebody, and taking somebody out. */
import { IconX } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { MemberOfAccount } from "../../../../src/rpc/inputs/Accounts.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { counted } from "../../words/Figures.ts"
import "./OneAccount.css"

type Member = Outputs["accounts"]["members"]["list"]["items"][number]
type Role = Member["role"]

const roles = [
  { value: "owner", word: "Owner", note: "Everything, including keys, webhooks and settings." },
  { value: "member", word: "Member", note: "Everything except keys, webhooks and settings." },
  { value: "viewer", word: "Viewer", note: "Can see everything, but change nothing." },
] as const

const who = ({ email, subject }: Member): string => email ?? subject ?? "somebody"

const namingOf = ({ email, issuer, subject }: Member) =>
  email === null ? { ...(issuer !== null && { issuer }), ...(subject !== null && { subject }) } : { email }

const pageSize = 100

export const Members = ({ account, name }: { readonly account: string; readonly name: string }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(rpc.accounts.members.list.queryOptions({ account, page_size: pageSize }))
  const [isNew, setNew] = useState(false)
  const [asked, setAsked] = useState<Member>()
  const again = () => queries.invalidateQueries({ queryKey: rpc.accounts.members.pathKey() })
  return (
    <section aria-label="Members">
      <header className="OneAccount-head">
        <h3 className="panel-title">
          {data === undefined ? "Members" : counted(data.total, "member")}
          {data !== undefined && data.total > pageSize && <span className="quiet">, the first {pageSize}</span>}
        </h3>
        <Button size="row" onPress={() => setNew(true)}>
          Add a member
        </Button>
      </header>
      {data === undefined ? (
        error === null ? (
          <Loading label="Members" />
        ) : (
          <Failed what="The members" error={error} onRetry={refetch} />
        )
      ) : (
        <ul>
          {data.items.map((member) => (
            <li key={`${member.email} ${member.issuer} ${member.subject}`} className="OneAccount-member">
              <span>
                {who(member)}
                {member.issuer !== null && <span className="Table-second">{member.issuer}</span>}
              </span>
              <span className="quiet">{member.role}</span>
              <Button size="row" look="stop" aria-label={`Remove ${who(member)}…`} onPress={() => setAsked(member)}>
                Remove…
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="second-line">People admitted by your identity provider aren’t listed.</p>
      {isNew && (
        <NewMember
          account={account}
          name={name}
          onClose={() => setNew(false)}
          onAdded={async () => {
            await again()
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
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await client.accounts.members.remove.mutate({ account, ...namingOf(asked) })
            await again()
          }}
        />
      )}
    </section>
  )
}

interface NewMemberProps {
  readonly account: string
  readonly name: string
  readonly onClose: () => void
  readonly onAdded: () => Promise<void>
}

const NewMember = ({ account, name, onAdded, onClose }: NewMemberProps) => {
  const client = useRpcClient()
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("member")
  const value = { account, email: email.trim(), role }
  return (
    <FormDialog
      title={`Add a member to ${name}`}
      verb="Add member"
      schema={MemberOfAccount}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        await client.accounts.members.put.mutate(value)
        await onAdded()
      }}
    >
      {(problems) => (
        <>
          <Field
            label="Email"
            type="email"
            autoFocus
            value={email}
            onChange={setEmail}
            problem={said(problems["email"])}
            hint="The email their sign-in verifies. If they are already a member, this changes their role."
          />
          <Radios label="Role" isLabelSeen chosen={role} onChoose={setRole} choices={roles} />
        </>
      )}
    </FormDialog>
  )
}
