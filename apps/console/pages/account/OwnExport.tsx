/** A copy of the whole account as one file: an owner orders it, sees how far it is, and downloads it. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useAct } from "../../data/Act.ts"
import { download } from "../../data/Rest.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useMinute } from "../../shell/Clock.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, counted, size } from "../../words/Figures.ts"
import { placeOf, planned } from "../../words/Times.ts"

type Export = Outputs["exports"]["list"]["items"][number]

const pollMs = 2_000

const sentenceOf = ({ bytes, expires_at, progress, reason, status }: Export, now: Date, zone: string): string => {
  switch (status) {
    case "running":
      return progress.rows_total === 0
        ? "The export begins."
        : `${count(progress.rows)} of ${counted(progress.rows_total, "row")} and ${count(progress.recordings)} of ${counted(progress.recordings_total, "recording")} are written.`
    case "completed":
      return `The file has ${size(bytes ?? 0)}${
        expires_at === null ? "" : ` and is deleted ${planned(new Date(expires_at), now, zone)} in ${placeOf(zone)}`
      }.${
        progress.recordings_missing === 0
          ? ""
          : ` ${counted(progress.recordings_missing, "recording")} could not be found on this server.`
      }`
    case "failed":
      return `The last export failed. ${reason ?? ""}`
    case "expired":
      return "The file of the last export was deleted."
  }
}

export const OwnExport = ({ zone }: { readonly zone: string }) => {
  const { slug } = useAccount()
  const now = useMinute()
  const rpc = useRpc()
  const { exports } = useRpcClient()
  const queries = useQueryClient()
  const { isBusy, problem, run } = useAct()
  const newest = useQuery(
    rpc.exports.list.queryOptions(
      { page_size: 1 },
      { refetchInterval: ({ state }) => (state.data?.items[0]?.status === "running" ? pollMs : false) },
    ),
  )
  const last = newest.data?.items[0]
  const begin = () =>
    run(async () => {
      await exports.begin.mutate({})
      await queries.invalidateQueries({ queryKey: rpc.exports.pathKey() })
    })
  const save = (id: string) => run(() => download(slug, `/api/v1/exports/${id}/file`, `${slug}.tar.gz`))
  return (
    <Panel
      title="Export"
      aside={
        <Button
          size="row"
          isDisabled={newest.data === undefined || isBusy || last?.status === "running"}
          onPress={begin}
        >
          Export the account
        </Button>
      }
    >
      <PanelBody>
        <p className="second-line">
          Everything that the account has, as one file: agents, campaigns, contacts, calls with transcripts and
          recordings. Credentials are not in it. A new export replaces the file before it.
        </p>
        <p role="status" className="OwnExport-state">
          {last !== undefined && sentenceOf(last, now, zone)}
        </p>
        {last?.status === "completed" && (
          <Button isDisabled={isBusy} onPress={() => save(last.id)}>
            Download
          </Button>
        )}
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
