/** The actions on an open campaign that its state allows. */
import { IconDownload, IconPlayerPlay, IconRefresh, IconSquare, IconTrash } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { type Campaign, refusalOf, useCampaignActs } from "../../data/Campaigns.ts"
import { PauseBars } from "../../figures/StateSign.tsx"
import { notice } from "../../shell/Notices.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { counted } from "../../words/Figures.ts"
import { DeleteDraft } from "./DeleteDraft.tsx"
import { exportResults } from "./Export.ts"
import { Refused } from "./Refused.tsx"
import { StopCampaign } from "./StopCampaign.tsx"
import { usedAgain } from "./UsedAgain.ts"

const bars = <PauseBars />

export const CampaignActs = ({ campaign }: { readonly campaign: Campaign }) => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const navigate = useNavigate()
  const { pause, resume, start } = useCampaignActs()
  const [asks, setAsks] = useState<"stop" | "remove">()
  const { counts, id, name, status } = campaign
  const isOver = status === "completed" || status === "failed"
  const isRunning = status === "running"
  const isPaused = status === "paused"
  const isDraft = status === "draft"
  const go = () => resume.mutate({ id })
  const halt = () =>
    pause.mutate(
      { id },
      {
        onSuccess: () =>
          notice({
            icon: bars,
            text:
              counts.in_progress === 0
                ? "Paused."
                : `Paused. ${counted(counts.in_progress, "call")} in progress ${counts.in_progress === 1 ? "continues" : "continue"}.`,
            act: { word: "Resume", onAct: go },
          }),
      },
    )
  const save = () => void exportResults(slug, id, name)
  useShortcut("P", isRunning ? "Pause" : "Resume", isRunning ? halt : go, mayChange && (isRunning || isPaused))
  useShortcut("S", "Stop…", () => setAsks("stop"), mayChange && (isRunning || isPaused))
  useShortcut("E", "Export results", save, !isDraft)
  const refusal = refusalOf(start, resume, pause)
  return (
    <>
      {!isDraft && (
        <Button look={isOver ? "primary" : "second"} icon={<IconDownload aria-hidden />} onPress={save}>
          {isOver ? "Export results" : "Export"}
        </Button>
      )}
      {mayChange && (isRunning || isPaused) && (
        // A single button for pausing and resuming, so that it keeps the focus.
        <Button
          look={isRunning ? "second" : "primary"}
          icon={isRunning ? bars : <IconPlayerPlay aria-hidden />}
          shortcut="P"
          isDisabled={isRunning ? pause.isPending : resume.isPending}
          onPress={isRunning ? halt : go}
        >
          {isRunning ? "Pause" : "Resume"}
        </Button>
      )}
      {mayChange && (isRunning || isPaused) && (
        <Button look="stop" icon={<IconSquare size={12} aria-hidden />} onPress={() => setAsks("stop")}>
          Stop…
        </Button>
      )}
      {mayChange && isDraft && (
        <>
          <Button look="stop" icon={<IconTrash aria-hidden />} onPress={() => setAsks("remove")}>
            Delete…
          </Button>
          <Button
            onPress={() =>
              navigate({
                to: "/$account/campaigns/new",
                params: { account: slug },
                search: { draft: id, step: "pace" },
              })
            }
          >
            Edit
          </Button>
          <Button
            look="primary"
            icon={<IconPlayerPlay aria-hidden />}
            isDisabled={start.isPending}
            onPress={() => start.mutate({ id })}
          >
            Start
          </Button>
        </>
      )}
      {mayChange && isOver && (
        <Button
          icon={<IconRefresh aria-hidden />}
          onPress={() =>
            navigate({ to: "/$account/campaigns/new", params: { account: slug }, search: usedAgain(campaign) })
          }
        >
          Use again
        </Button>
      )}
      <StopCampaign campaign={campaign} isOpen={asks === "stop"} onClose={() => setAsks(undefined)} />
      <DeleteDraft
        campaign={campaign}
        isOpen={asks === "remove"}
        onClose={() => setAsks(undefined)}
        onDeleted={() => void navigate({ to: "/$account/campaigns", params: { account: slug } })}
      />
      {refusal !== undefined && <Refused campaign={campaign} {...refusal} />}
    </>
  )
}
