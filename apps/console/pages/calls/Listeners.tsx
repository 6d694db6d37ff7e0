/** Who listened to the call while it was in progress, and from when to when. */
import { useZone } from "../../data/AccountPulse.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { exactClock } from "../../words/Times.ts"
import type { OpenCall } from "./Call.ts"
import { Facts } from "./Facts.tsx"

/** In full: two members may have the same first name. */
const nameOf = (listener: OpenCall["listeners"][number]["listener"]): string =>
  listener.type === "api_key" ? `the key ${listener.name}` : (listener.email ?? listener.subject)

export const Listeners = ({ listeners }: Pick<OpenCall, "listeners">) => {
  const zone = useZone()
  const clock = (at: string) => exactClock(new Date(at), zone)
  return (
    <Panel title="Listened to by">
      <PanelBody>
        <Facts
          facts={listeners.map(({ ended_at, listener, started_at }) => ({
            label: nameOf(listener),
            value: `${clock(started_at)} – ${ended_at === null ? "now" : clock(ended_at)}`,
          }))}
        />
      </PanelBody>
    </Panel>
  )
}
