/** The account's chain of receipts: its head, how to verify it, and the file for an auditor. */
import { IconDownload } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { beat, type Outputs, useZone } from "../../data/AccountPulse.ts"
import { exportAs } from "../../data/Exports.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { Page } from "../../shell/Page.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyText } from "../../ui/CopyText.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import { moment } from "../../words/Times.ts"
import { DayRange } from "../calls/DayRange.tsx"
import { Facts } from "../calls/Facts.tsx"
import { momentsOfDays } from "../new-campaign/LocalTime.ts"
import "./ReceiptsPage.css"

type Head = Outputs["receipts"]["head"]

export const ReceiptsPage = () => {
  const rpc = useRpc()
  const { data, error, refetch } = useQuery(rpc.receipts.head.queryOptions(undefined, { refetchInterval: beat * 5 }))
  return (
    <Page
      title="Receipts"
      name="Receipts"
      second="Each dial of a campaign has a receipt that says why the number was called. A later change of one breaks the chain of their hashes."
    >
      {data === undefined ? (
        error === null ? (
          <Loading label="Receipts" />
        ) : (
          <Failed what="The receipts" error={error} onRetry={refetch} />
        )
      ) : data.seal === 0 ? (
        <div className="Table-frame">
          <Empty title="No receipts yet">
            A campaign's dials get their receipts within about ten seconds. A call that is placed directly has one only
            if its request names rule packs or a consent.
          </Empty>
        </div>
      ) : (
        <div className="Receipts">
          <HeadOfChain head={data} />
          <Verification hash={data.hash} />
          <FileForAuditor />
        </div>
      )}
    </Page>
  )
}

const HeadOfChain = ({ head: { hash, receipts, seal, sealed_at } }: { readonly head: Head }) => {
  const zone = useZone()
  const now = useNow()
  return (
    <Panel title="Head of the chain">
      <PanelBody>
        <Facts
          facts={[
            { label: "Receipts", value: count(receipts) },
            {
              label: "Last seal",
              value: `${count(seal)}${sealed_at === null ? "" : `, made ${moment(new Date(sealed_at), now, zone)}`}`,
            },
          ]}
        />
        <p className="Receipts-hash mono">
          <CopyText text={hash} label="the hash" />
        </p>
        <p className="second-line">
          Keep this hash daily where the people who run Parley cannot write. Only a check against a kept hash finds a
          chain that was computed anew or cut off.
        </p>
      </PanelBody>
    </Panel>
  )
}

const Verification = ({ hash }: { readonly hash: string }) => {
  const { slug } = useAccount()
  const commands = [
    {
      where: "With the file of the whole chain, on any machine with Parley:",
      command: `parley receipts verify receipts.jsonl`,
    },
    { where: "On the server, with its database:", command: `parley receipts verify --account ${slug}` },
  ]
  return (
    <Panel title="Verify the receipts">
      <PanelBody>
        <p className="second-line">
          The check computes every hash again and decides every dial again from its recorded facts. It names what
          differs.
        </p>
        {commands.map(({ command, where }) => (
          <div key={command}>
            <p>{where}</p>
            <p className="Receipts-hash mono">
              <CopyText text={`${command} --head ${hash}`} label="the command" />
            </p>
          </div>
        ))}
        <p className="second-line">
          The commands name the head that is above. A file of chosen days may lack it: leave out --head there, or use a
          hash that you kept of those days.
        </p>
      </PanelBody>
    </Panel>
  )
}

const FileForAuditor = () => {
  const { slug } = useAccount()
  const zone = useZone()
  const [days, setDays] = useState<{ readonly from?: string; readonly to?: string }>({})
  const query = new URLSearchParams(momentsOfDays(days, zone)).toString()
  const path = `/api/v1/receipts.jsonl${query === "" ? "" : `?${query}`}`
  return (
    <Panel title="File for an auditor">
      <PanelBody>
        <p className="second-line">
          The receipts with the phone numbers, as JSON lines. Choose days, or leave them empty for the whole chain. A
          download is in the audit log.
        </p>
        <div className="Receipts-file">
          <DayRange
            from={days.from}
            to={days.to}
            onChange={(name) => (day) =>
              setDays(({ [name]: _, ...others }) => (day === "" ? others : { ...others, [name]: day }))
            }
          />
          <Button
            icon={<IconDownload aria-hidden />}
            onPress={() => void exportAs(slug, path, "receipts.jsonl", "The receipts")}
          >
            Download
          </Button>
        </div>
      </PanelBody>
    </Panel>
  )
}
