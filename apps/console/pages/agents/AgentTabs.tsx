/** The links to an agent's tabs, each with the number of items behind it. */
import { useAccount } from "../../data/Account.tsx"
import { type TabLink, TabLinks } from "../../ui/TabLinks.tsx"
import type { Agent, Kit } from "./Agent.ts"
import { useScenarioScore } from "./ScenarioRuns.ts"

export const AgentTabs = ({ agent, kit }: { readonly agent: Agent; readonly kit: Kit }) => {
  const { slug } = useAccount()
  const score = useScenarioScore(agent.id)
  const link = (word: string, tab: string, aside?: TabLink["aside"]): TabLink => ({
    to: "/$account/agents/$id/{-$tab}",
    params: { account: slug, id: agent.id, tab },
    word,
    ...(aside !== undefined && { aside }),
  })
  const tabs = [
    link("Prompt", "prompt"),
    link("Playbooks", "playbooks", kit.playbooks?.length),
    link("Tools", "tools", kit.tools?.length),
    link("FAQs", "faqs", kit.faqCount),
    link("Voice and model", "voice"),
    link(
      "Scenarios",
      "scenarios",
      score && (
        <span
          className={score.passed < score.scenarios ? "Agent-trouble" : ""}
        >{`${score.passed} of ${score.scenarios}`}</span>
      ),
    ),
    link("Versions", "versions", agent.version),
  ]
  return <TabLinks label={`Parts of ${agent.name}`} tabs={tabs} />
}
