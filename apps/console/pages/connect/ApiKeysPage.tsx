/** API keys, with which programs of the account sign in. A key is shown once, when it is created. */
import { IconX } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useMayManage } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { AddButton } from "../../ui/AddButton.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { OwnersOnly } from "../../ui/OwnersOnly.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { date, duration, moment, secondsBetween, utc } from "../../words/Times.ts"
import { NewApiKey } from "./NewApiKey.tsx"

type ApiKey = Outputs["apiKeys"]["list"]["items"][number]

const pageSize = 50
const week = 7 * 86_400

const columns = [
  { word: "Name" },
  { word: "Begins with", isWide: true },
  { word: "Scopes" },
  { word: "Last used", isWide: true },
  { word: "Expires" },
  { word: "Actions", isUnseen: true },
]

export const ApiKeysPage = () => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const mayManage = useMayManage()
  const { page = 1 } = useSearch({ from: "/$account/api-keys" })
  const list = useQuery(rpc.apiKeys.list.queryOptions({ page: page - 1, page_size: pageSize }, { enabled: mayManage }))
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>()
  const [asked, setAsked] = useState<ApiKey>()
  const again = () => queries.invalidateQueries({ queryKey: rpc.apiKeys.pathKey() })
  const add = <AddButton word="New API key" onAdd={() => setNew(true)} />
  if (!mayManage) return <OwnersOnly what="API keys" />
  return (
    <Page title="API keys" name="API keys" acts={add}>
      <TableList
        of="API keys"
        list={list}
        page={page}
        empty={
          <Empty title="No API keys yet" acts={add}>
            A key lets your programs read, change or dial in this account over the API that this console uses.
          </Empty>
        }
        columns={columns}
      >
        {list.data?.items.map((key) => (
          <Row key={key.id} item={key} onRevoke={() => setAsked(key)} />
        ))}
      </TableList>
      {isNew && (
        <NewApiKey
          onClose={() => setNew(false)}
          onMade={async (key) => {
            setNew(false)
            setMade(key)
            await again()
          }}
        />
      )}
      {made !== undefined && (
        <ShownOnce title={`The key ${made.name}`} what="the key" text={made.key} onStored={() => setMade(undefined)}>
          <p className="second-line">Send it as a bearer token: Authorization: Bearer pak_…</p>
        </ShownOnce>
      )}
      {asked !== undefined && (
        <Confirm
          question={`Revoke ${asked.name}?`}
          lines={[
            {
              icon: <IconX aria-hidden />,
              text: "Programs that send this key are refused from now on.",
            },
          ]}
          verb="Revoke the key"
          leave="Keep it"
          isOpen
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await client.apiKeys.remove.mutate({ id: asked.id })
            await again()
            notice({ text: `${asked.name} is revoked.` })
          }}
        />
      )}
    </Page>
  )
}

const Row = ({ item, onRevoke }: { readonly item: ApiKey; readonly onRevoke: () => void }) => {
  const zone = useZone()
  const now = useNow()
  const { expires_at, key_id, last_used_at, name, scopes } = item
  return (
    <tr className="Table-row">
      <td className="name">{name}</td>
      <td className="mono Table-wide">pak_{key_id}_…</td>
      <td>
        {scopes.map((scope) => (
          <Tag key={scope}>{scope}</Tag>
        ))}
      </td>
      <td className="second-line Table-wide">
        {last_used_at === null ? (
          "never"
        ) : (
          <time dateTime={last_used_at} title={utc(new Date(last_used_at))}>
            {moment(new Date(last_used_at), now, zone)}
          </time>
        )}
      </td>
      <td className="second-line">
        <Expiry at={expires_at === null ? undefined : new Date(expires_at)} now={now} zone={zone} />
      </td>
      <td className="Table-figure">
        <Button look="stop" size="row" onPress={onRevoke} aria-label={`Revoke ${name}…`}>
          Revoke…
        </Button>
      </td>
    </tr>
  )
}

interface ExpiryProps {
  readonly at: Date | undefined
  readonly now: Date
  readonly zone: string
}

const Expiry = ({ at, now, zone }: ExpiryProps) => {
  if (at === undefined) return <>never</>
  const left = secondsBetween(now, at)
  if (left <= 0) return <Tag tone="stop">expired {date(at, zone)}</Tag>
  if (left < week) return <Tag tone="warn">in {duration(left)}</Tag>
  return <time dateTime={at.toISOString()}>{date(at, zone)}</time>
}
