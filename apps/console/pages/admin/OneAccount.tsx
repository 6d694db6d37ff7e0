/** One account beside the list: its settings, its members, suspending and removing it. */
import { IconX } from "@tabler/icons-react"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, counted, money } from "../../words/Figures.ts"
import { placeOf } from "../../words/Times.ts"
import { windowSentence } from "../account/CallingHours.ts"
import { type Account, AccountForm } from "./AccountForm.tsx"
import { AdminMembers } from "./AdminMembers.tsx"
import "./OneAccount.css"

const cross = <IconX aria-hidden />

export const OneAccount = ({ onClose, slug }: { readonly slug: string; readonly onClose: () => void }) => {
  const rpc = useRpc()
  const { data, error, refetch } = useQuery(rpc.accounts.get.queryOptions({ slug }))
  return (
    <Drawer label={slug} head={<span className="mono">{slug}</span>} onClose={onClose}>
      <div className="OneAccount-body">
        {data === undefined ? (
          error === null ? (
            <Loading label="Account" />
          ) : (
            <Failed what="The account" error={error} onRetry={refetch} notFound={`There is no account ${slug}.`} />
          )
        ) : (
          <>
            <Settings account={data} onRemoved={onClose} />
            <AdminMembers account={slug} name={data.name} />
          </>
        )}
      </div>
    </Drawer>
  )
}

const statusWords = {
  active: "",
  suspended: "Suspended: nobody signs in and nothing is dialled. ",
  restored:
    "Restored from a backup: nothing is dialled until you reactivate it. People called since the backup would be called again. ",
}

const Settings = ({ account, onRemoved }: { readonly account: Account; readonly onRemoved: () => void }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const [open, setOpen] = useState<"edit" | "suspend" | "remove">()
  const again = () => queries.invalidateQueries({ queryKey: rpc.accounts.pathKey() })
  const { calling_window, calls_per_day, calls_per_minute, concurrent_max, consent_days, daily_spend_cap } = account
  const { etag, name, slug, status, time_zone } = account
  const isActive = status === "active"
  const resume = useMutation({
    mutationFn: () => client.accounts.update.mutate({ slug, status: "active", etag }),
    onSettled: again,
  })
  const close = () => setOpen(undefined)
  return (
    <section aria-label="Settings">
      <h2 className="page-title">{name}</h2>
      <p className="second-line">
        {statusWords[status]}
        {count(concurrent_max)} calls at once, {count(calls_per_minute)} a minute, {count(calls_per_day)} a day
        {daily_spend_cap !== null && ` for at most ${money(Number(daily_spend_cap))}`} in {placeOf(time_zone)}; calls{" "}
        {windowSentence(calling_window)}.
        {consent_days !== null && ` Consents without an end count for ${counted(consent_days, "day")}.`}
      </p>
      <p className="OneAccount-acts">
        <Button size="row" onPress={() => setOpen("edit")}>
          Edit
        </Button>
        {isActive ? (
          <Button size="row" look="stop" onPress={() => setOpen("suspend")}>
            Suspend…
          </Button>
        ) : (
          <Button size="row" isDisabled={resume.isPending} onPress={() => resume.mutate()}>
            Reactivate
          </Button>
        )}
        <Button size="row" look="stop" onPress={() => setOpen("remove")}>
          Remove…
        </Button>
      </p>
      {resume.isError && <ProblemLine problem={problemOf(resume.error)} />}
      {open === "edit" && (
        <AccountForm
          account={account}
          onClose={close}
          onSaved={async (saved) => {
            await again()
            close()
            notice({ text: `${saved.name} is saved.` })
          }}
        />
      )}
      <Confirm
        question={`Suspend ${name}?`}
        lines={[{ icon: cross, text: "Nobody can use the account and nothing is dialled until it is reactivated." }]}
        verb="Suspend the account"
        leave="Cancel"
        isOpen={open === "suspend"}
        onClose={close}
        onConfirm={async () => {
          await client.accounts.update.mutate({ slug, status: "suspended", etag })
          await again()
        }}
      />
      <Confirm
        question={`Remove ${name}?`}
        lines={[
          { icon: cross, text: `Nobody can open ${slug} any more. Its agents, campaigns and calls can’t be reached.` },
        ]}
        verb="Remove the account"
        leave="Keep it"
        isOpen={open === "remove"}
        onClose={close}
        onConfirm={async () => {
          await client.accounts.remove.mutate({ slug })
          onRemoved()
          await again()
          notice({ text: `${name} is removed.` })
        }}
      />
    </section>
  )
}
