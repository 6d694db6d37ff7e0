/** The agent's kit at a glance: playbooks in order, tools with their switches, FAQs, voice, versions. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count, counted, joinNames } from "../../words/Figures.ts"
import { date } from "../../words/Times.ts"
import type { AgentParts } from "./Agent.ts"
import { authorName } from "./Versions.ts"
import "./KitColumn.css"

/** The number of versions in the column. */
const latest = 3

export const KitColumn = (props: AgentParts) => {
  const { kit } = props
  return (
    <section className="Panel Kit" aria-label="What it has">
      {kit.error !== undefined && <Failed what="Its tools and playbooks" error={kit.error} onRetry={kit.retry} />}
      {kit.error === undefined && kit.tools === undefined && <Loading label="What it has" />}
      {kit.playbooks !== undefined && kit.tools !== undefined && (
        <>
          <Playbooks {...props} />
          <Tools {...props} />
          <Faqs {...props} />
          <VoiceAndModel {...props} />
          <Versions {...props} />
        </>
      )}
    </section>
  )
}

const Playbooks = ({ draft, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const missing = kit.playbooks?.filter(({ missing_tools }) => missing_tools.length > 0) ?? []
  return (
    <div className="Kit-part">
      <h2 className="panel-title">
        Playbooks <span className="Kit-count">in this order</span>
      </h2>
      {kit.playbooks?.length === 0 && (
        <p className="second-line">None. Playbooks are parts of a prompt that agents share.</p>
      )}
      <ol className="Kit-rows">
        {kit.playbooks?.map(({ missing_tools, name, playbook_id }, at) => (
          <li key={playbook_id} className="Kit-line">
            <span>
              {at + 1}{" "}
              <Link to="/$account/playbooks/{-$id}" params={{ account: slug, id: playbook_id }} className="Kit-link">
                {name}
              </Link>
            </span>
            {missing_tools.length > 0 && <Tag tone="warn">{counted(missing_tools.length, "tool")} off</Tag>}
          </li>
        ))}
      </ol>
      {missing.map(({ missing_tools, name, playbook_id }) => (
        <p key={playbook_id} className="Kit-warning">
          {name} names {joinNames(missing_tools)}, which {missing_tools.length === 1 ? "is" : "are"} off.{" "}
          {mayChange && (
            <button
              type="button"
              className="Kit-act"
              onClick={() => {
                for (const tool_name of missing_tools) {
                  const config = kit.tools?.find((tool) => tool.tool_name === tool_name)?.config ?? {}
                  draft.set(`tool:${tool_name}`, { config, enabled: true })
                }
              }}
            >
              Turn on
            </button>
          )}
        </p>
      ))}
    </div>
  )
}

const Tools = ({ agent, draft, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const on = kit.tools?.filter(({ enabled }) => enabled).length ?? 0
  return (
    <div className="Kit-part">
      <h2 className="panel-title">
        Tools <span className="Kit-count">{count(on)} on</span>
      </h2>
      {kit.tools?.length === 0 && <p className="second-line">Without tools it can only talk; it can't even hang up.</p>}
      <ul className="Kit-rows">
        {kit.tools?.map(({ config, enabled, tool_name }) => (
          <li key={tool_name} className="Kit-line">
            <Link
              to="/$account/tools/$id"
              params={{ account: slug, id: tool_name }}
              className={`Kit-link mono ${enabled ? "" : "Kit-off"}`}
            >
              {tool_name}
            </Link>
            {mayChange ? (
              <Switch
                label={tool_name}
                isOn={enabled}
                onChange={(isOn) => draft.set(`tool:${tool_name}`, { config, enabled: isOn })}
              />
            ) : (
              <span className="second-line">{enabled ? "on" : "off"}</span>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <Link
          to="/$account/agents/$id/{-$tab}"
          params={{ account: slug, id: agent.id, tab: "tools" }}
          className="Kit-more"
        >
          Add a tool
        </Link>
      )}
    </div>
  )
}

const Faqs = ({ kit }: AgentParts) => {
  const isFound = kit.tools?.some(({ enabled, tool_name }) => enabled && tool_name === "lookup_faq")
  return (
    <div className="Kit-part">
      <h2 className="panel-title">
        FAQs <span className="Kit-count">{count(kit.faqCount ?? 0)}</span>
      </h2>
      {isFound ? (
        <p className="second-line">found by lookup_faq when someone asks</p>
      ) : (
        <p className={kit.faqCount === 0 ? "second-line" : "Kit-warning"}>
          {kit.faqCount === 0 ? "None." : "The agent cannot use them: lookup_faq is off. Switch it on under Tools."}
        </p>
      )}
    </div>
  )
}

const VoiceAndModel = ({ draft }: AgentParts) => {
  const { language, model, temperature, voice, voicemail_action } = draft.value
  const rows = [
    ["Voice", `${voice.id}, ${language}, ${voice.speed.toFixed(1)}×`],
    ["Model", `${model.id}, ${temperature}`],
    ["Voicemail", voicemail_action === "leave_message" ? "leaves a message" : "hangs up"],
  ]
  return (
    <div className="Kit-part">
      <h2 className="panel-title">Voice and model</h2>
      <dl className="Kit-rows">
        {rows.map(([word, value]) => (
          <div key={word} className="Kit-line">
            <dt className="second-line">{word}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const Versions = ({ agent, draft, next, phone }: AgentParts) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useNow()
  const versions = useQuery(rpc.agents.versions.list.queryOptions({ agent_id: agent.id, page_size: latest }))
  const changed = Object.keys(draft.changes).length
  return (
    <div className="Kit-part">
      <h2 className="panel-title">Versions</h2>
      <ul className="Kit-rows">
        {draft.isDirty && (
          <li className="Kit-line">
            <span>
              <b>v{next}</b> <span className="quiet">now, {counted(changed, "field")}</span>
            </span>
          </li>
        )}
        {versions.data?.items.map(({ created_at, created_by, version }) => (
          <li key={version} className="Kit-line">
            <Link
              to="/$account/agents/$id/{-$tab}"
              params={{ account: slug, id: agent.id, tab: "versions" }}
              search={{ version }}
              className="Kit-link"
            >
              <b>v{version}</b>{" "}
              <span className="quiet">
                {now.getTime() - Date.parse(created_at) < 86_400_000 ? "today" : date(new Date(created_at), zone)},{" "}
                {authorName(created_by)}
              </span>
            </Link>
            {phone.some((one) => one.version === version) && <Tag tone="talk">on the phone</Tag>}
          </li>
        ))}
      </ul>
    </div>
  )
}
