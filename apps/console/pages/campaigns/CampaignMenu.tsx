/** The actions on a campaign in the list that its state allows. */
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconRefresh, IconSquare, IconTrash } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { type Campaign, refusalOf, useCampaignActs } from "../../data/Campaigns.ts"
import { notice } from "../../shell/Notices.tsx"
import { type Action, ActionMenu } from "../../ui/ActionMenu.tsx"
import { exportResults } from "../campaign/Export.ts"
import { DeleteDraft } from "../campaign/DeleteDraft.tsx"
import { Refused } from "../campaign/Refused.tsx"
import { StartCampaign } from "../campaign/StartCampaign.tsx"
import { StopCampaign } from "../campaign/StopCampaign.tsx"
import { usedAgain } from "../campaign/UsedAgain.ts"

export const CampaignMenu = ({ campaign }: { readonly campaign: Campaign }) => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const navigate = useNavigate()
  const { pause, resume, start } = useCampaignActs()
  const [asks, setAsks] = useState<"start" | "stop" | "remove">()
  const { id, name, status } = campaign
  const isOver = status === "completed" || status === "failed"
  const resumeNow = () => resume.mutate({ id }, { onSuccess: () => notice({ text: `${name} is dialling again.` }) })
  const acts: ReadonlyArray<Action | false> = [
    mayChange &&
      status === "running" && {
        id: "pause",
        word: "Pause",
        icon: <IconPlayerPause aria-hidden />,
        onAct: () =>
          pause.mutate(
            { id },
            {
              onSuccess: () =>
                notice({
                  text: `${name} is paused. Calls in progress continue.`,
                  act: { word: "Resume", onAct: resumeNow },
                }),
            },
          ),
      },
    mayChange &&
      status === "paused" && { id: "resume", word: "Resume", icon: <IconPlayerPlay aria-hidden />, onAct: resumeNow },
    mayChange &&
      status === "draft" && {
        id: "start",
        word: "Start…",
        icon: <IconPlayerPlay aria-hidden />,
        onAct: () => setAsks("start"),
      },
    status !== "draft" && {
      id: "export",
      word: "Export results",
      icon: <IconDownload aria-hidden />,
      onAct: () => void exportResults(slug, id, name),
    },
    mayChange &&
      isOver && {
        id: "again",
        word: "Use again",
        icon: <IconRefresh aria-hidden />,
        onAct: () =>
          void navigate({ to: "/$account/campaigns/new", params: { account: slug }, search: usedAgain(campaign) }),
      },
    mayChange &&
      (status === "running" || status === "paused") && {
        id: "stop",
        word: "Stop…",
        icon: <IconSquare size={12} aria-hidden />,
        isStop: true,
        onAct: () => setAsks("stop"),
      },
    mayChange &&
      status === "draft" && {
        id: "remove",
        word: "Delete draft…",
        icon: <IconTrash aria-hidden />,
        isStop: true,
        onAct: () => setAsks("remove"),
      },
  ]
  const refusal = refusalOf(start, resume, pause)
  return (
    <>
      <ActionMenu label={`Actions for ${name}`} actions={acts.filter((act) => act !== false)} />
      <StartCampaign
        campaign={campaign}
        isOpen={asks === "start"}
        onStart={() => start.mutate({ id }, { onSuccess: () => notice({ text: `${name} is dialling.` }) })}
        onClose={() => setAsks(undefined)}
      />
      <StopCampaign campaign={campaign} isOpen={asks === "stop"} onClose={() => setAsks(undefined)} />
      <DeleteDraft campaign={campaign} isOpen={asks === "remove"} onClose={() => setAsks(undefined)} />
      {refusal !== undefined && <Refused campaign={campaign} {...refusal} />}
    </>
  )
}
