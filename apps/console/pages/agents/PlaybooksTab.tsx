/** The agent's playbooks in the order in which they join the prompt; each change saves a new version. */
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { Button as AriaButton } from "react-aria-components"
import { useAccount } from "../../data/Account.tsx"
import { type ProblemBody, problemOf } from "../../data/Problem.ts"
import { useEveryPlaybook } from "../../data/Choices.ts"
import { notice } from "../../shell/Notices.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { listed } from "../../words/Figures.ts"
import { type AgentParts, type AgentPlaybook, useKitChange } from "./Agent.ts"
import "../../ui/Table.css"

export const PlaybooksTab = ({ agent, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const { attachPlaybook, detachPlaybook } = useKitChange()
  const [problem, setProblem] = useState<ProblemBody>()
  const catalog = useEveryPlaybook()
  const attached = kit.playbooks ?? []
  const free = (catalog ?? []).filter(({ id }) => !attached.some(({ playbook_id }) => playbook_id === id))
  const attempt = async (act: () => Promise<unknown>, text?: string) => {
    setProblem(undefined)
    try {
      await act()
      if (text !== undefined) notice({ text })
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  const place = (playbook: AgentPlaybook, position: number) =>
    attachPlaybook.mutateAsync({ agent_id: agent.id, playbook_id: playbook.playbook_id, position })
  const move = (at: number, by: -1 | 1) => {
    const order = attached.toSpliced(at, 1)
    const [moved] = attached.slice(at, at + 1)
    if (moved === undefined) return
    order.splice(at + by, 0, moved)
    void attempt(async () => {
      for (const [position, playbook] of order.entries()) {
        if (playbook.position !== position) await place(playbook, position)
      }
    })
  }
  if (kit.error !== undefined) return <Failed what="Its playbooks" error={kit.error} onRetry={kit.retry} />
  if (kit.playbooks === undefined) return <Loading label="Playbooks" />
  return (
    <div className="Agent-tab">
      <p className="quiet">
        They follow the system prompt in this order. Every change here saves a new version, which the next call uses.
      </p>
      {problem !== undefined && <ProblemLine problem={problem} />}
      <div className="Table-frame">
        <table className="Table">
          <thead>
            <tr>
              <th scope="col">Place</th>
              <th scope="col">Playbook</th>
              <th scope="col">Tools that it names</th>
              {mayChange && (
                <th scope="col">
                  <span className="unseen">Acts</span>
                </th>
              )}
            </tr>
          </thead>
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
                </td>
                <td>
                  {playbook.missing_tools.length > 0 ? (
                    <Tag tone="warn">{listed(playbook.missing_tools)} off</Tag>
                  ) : (
                    <span className="quiet">all on</span>
                  )}
                </td>
                {mayChange && (
                  <td className="Table-figure">
                    <span className="Kit-row">
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Move ${playbook.name} up`}
                        isDisabled={at === 0 || attachPlaybook.isPending}
                        onPress={() => move(at, -1)}
                      >
                        <IconArrowUp aria-hidden />
                      </AriaButton>
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Move ${playbook.name} down`}
                        isDisabled={at === attached.length - 1 || attachPlaybook.isPending}
                        onPress={() => move(at, 1)}
                      >
                        <IconArrowDown aria-hidden />
                      </AriaButton>
                      <AriaButton
                        className="ActionMenu-button"
                        aria-label={`Remove ${playbook.name}`}
                        onPress={() =>
                          void attempt(async () => {
                            await detachPlaybook.mutateAsync({ agent_id: agent.id, playbook_id: playbook.playbook_id })
                            notice({
                              text: `${agent.name} no longer has ${playbook.name}.`,
                              act: {
                                word: "Undo",
                                onAct: () => void attempt(() => place(playbook, playbook.position)),
                              },
                            })
                          })
                        }
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
      {mayChange && free.length > 0 && (
        <div>
          <SelectMenu
            label="Add a playbook"
            form="field"
            placeholder="Choose one"
            chosen={null}
            choices={free.map(({ display_name, id, name }) => ({ id, word: name, note: display_name }))}
            onChoose={(playbook_id) =>
              void attempt(() =>
                attachPlaybook.mutateAsync({
                  agent_id: agent.id,
                  playbook_id,
                  position: (attached.at(-1)?.position ?? -1) + 1,
                }),
              )
            }
          />
        </div>
      )}
    </div>
  )
}
