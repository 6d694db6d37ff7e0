/** Who listened to the call while it was in progress, or took it over, and from when to when. */
import { useZone } from "../../data/AccountPulse.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { exactClock } from "../../words/Times.ts"
import { type Author, authorName, type OpenCall } from "./Call.ts"
import { Facts } from "./Facts.tsx"

interface PresentProps {
  readonly title: string
  readonly present: ReadonlyArray<{
    readonly who: Author
    readonly started_at: string
    readonly ended_at: string | null
  }>
}

const Present = ({ present, title }: PresentProps) => {
  const zone = useZone()
  const clock = (at: string) => exactClock(new Date(at), zone)
  return (
    <Panel title={title}>
      <PanelBody>
        <Facts
          facts={present.map(({ ended_at, started_at, who }) => ({
            label: authorName(who),
            value: `${clock(started_at)} – ${ended_at === null ? "now" : clock(ended_at)}`,
          }))}
        />
      </PanelBody>
    </Panel>
  )
}

export const Listeners = ({ listeners, takeovers }: Pick<OpenCall, "listeners" | "takeovers">) => (
  <>
    {takeovers.length > 0 && (
      <Present title="Taken over by" present={takeovers.map(({ by, ...times }) => ({ who: by, ...times }))} />
    )}
    {listeners.length > 0 && (
      <Present
        title="Listened to by"
        present={listeners.map(({ listener, ...times }) => ({ who: listener, ...times }))}
      />
    )}
  </>
)
