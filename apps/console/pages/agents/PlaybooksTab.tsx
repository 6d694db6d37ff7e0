/** The agent's playbooks in the order in which they join the prompt. Changes are part of the agent's draft. */
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { Button as AriaButton } from "react-aria-components"
import { ChoosePlaybook } from "../../choose/ChoosePlaybook.tsx"
import { useAccount } from "../../data/Account.tsx"
import { type Column, Columns } from "../../ui/Columns.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { joinNames } from "../../words/Figures.ts"
import type { AgentParts, AgentPlaybook } from "./Agent.ts"
import "../../ui/Table.css"

export const PlaybooksTab = ({ draft, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const attached = kit.playbooks ?? []
  const { playbooks } = draft.value
  const set = (changed: typeof playbooks) => draft.set("playbooks", changed)
  const move = (at: number, by: -1 | 1) => {
    const [moved] = playbooks.slice(at, at + 1)
    if (moved !== undefined) set(playbooks.toSpliced(at, 1).toSpliced(at + by, 0, moved))
  }
  const columns: ReadonlyArray<Column> = [
    { word: "Place" },
    { word: "Playbook" },
    { word: "Tools that it names", isWide: true },
    ...(mayChange ? [{ word: "Actions", isUnseen: true }] : []),
  ]
  if (kit.error !== undefined) return <Failed what="Its playbooks" error={kit.error} onRetry={kit.retry} />
  if (kit.playbooks === undefined) return <Loading label="Playbooks" />
  return (
    <div className="Agent-tab">
      <p className="quiet">
        They follow the system prompt in this order. Change as many as you like, then save: they become one version,
        which the next call uses.
      </p>
      <div className="Table-frame">
        <table className="Table">
          <Columns columns={columns} />
          <tbody>
            {attached.map((playbook, at) => (
              <tr key={playbook.playbook_id}>
                <td>{at + 1}</td>
                <td>
                  <Link
                    to="/$account/playbooks/{-$id}"
                    params={{ account: slug, id: playbook.playbook_id }}
                    className="name"
                  >
                    {playbook.name}
                  </Link>
                  <span className="Table-narrow">
                    <MissingTools of={playbook} />
                  </span>
                </td>
                <td className="Table-wide">
                  {playbook.missing_tools.length === 0 && <span className="quiet">all on</span>}
                  <MissingTools of={playbook} />
                </td>
                {mayChange && (
                  <td className="Table-figure">
                    <span className="Kit-row">
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Move ${playbook.name} up`}
                        isDisabled={at === 0}
                        onPress={() => move(at, -1)}
                      >
                        <IconArrowUp aria-hidden />
                      </AriaButton>
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Move ${playbook.name} down`}
                        isDisabled={at === attached.length - 1}
                        onPress={() => move(at, 1)}
                      >
                        <IconArrowDown aria-hidden />
                      </AriaButton>
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Remove ${playbook.name}`}
                        onPress={() => set(playbooks.toSpliced(at, 1))}
                      >
                        <IconX aria-hidden />
                      </AriaButton>
                    </span>
                  </td>
                )}
              </tr>
            ))}
            {attached.length === 0 && (
              <tr>
                <td colSpan={4} className="quiet">
                  None yet. A playbook is a part of a prompt that several agents share.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {mayChange && (
        <div>
          <ChoosePlaybook
            label="Add a playbook"
            form="field"
            placeholder="Choose one"
            chosen={null}
            without={playbooks.map(({ playbook_id }) => playbook_id)}
            onChoose={(id, choice) =>
              set([
                ...playbooks,
                { playbook_id: id as (typeof playbooks)[number]["playbook_id"], name: choice?.word ?? id },
              ])
            }
          />
        </div>
      )}
    </div>
  )
}

const MissingTools = ({ of: { missing_tools } }: { readonly of: AgentPlaybook }) =>
  missing_tools.length > 0 && <Tag tone="warn">{joinNames(missing_tools)} off</Tag>
