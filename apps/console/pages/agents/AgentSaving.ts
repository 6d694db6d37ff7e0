/** Saves an agent's draft with its kit. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { AgentSave } from "../../../../src/rpc/inputs/Agents.ts"
import { useAccount } from "../../data/Account.tsx"
import { problemOf } from "../../data/Problem.ts"
import { type RpcClient, useRpc, useRpcClient } from "../../data/Rpc.ts"
import { type Saving, useSaving } from "../../data/Saving.ts"
import { notice } from "../../shell/Notices.tsx"
import { joinNames } from "../../words/Figures.ts"
import { type AgentDraft, type EditedAgent, playbooksOf, toolsOf } from "./Agent.ts"
import { editedFrom, toSave } from "./KitDraft.ts"
import type { OnThePhone } from "./OnThePhone.ts"

/** The body of a save, without the agent's id. */
const DraftToSave = AgentSave.omit({ id: true })

/** `phone` lists the versions that running campaigns keep. The notice after a save names them. */
export const useAgentSaving = (id: EditedAgent["id"], draft: AgentDraft, phone: ReadonlyArray<OnThePhone>): Saving => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useSaving({
    draft,
    schema: DraftToSave,
    toSend: (changes) => toSave(changes, draft.base),
    send: async (base) => {
      const send = (etag: string) => client.agents.save.mutate({ ...toSave(draft.changes, draft.base), id, etag })
      try {
        return await send(base)
      } catch (error) {
        if (problemOf(error).status !== 412) throw error
        const present = await readSaved(client, id)
        if (!isApart(draft, present)) throw error
        return await send(present.etag)
      }
    },
    refresh: () => queries.invalidateQueries({ queryKey: rpc.agents.pathKey() }),
    onSaved: async (saved) => {
      queries.setQueryData(rpc.agents.get.queryKey({ id: saved.id }), saved)
      const keeping =
        phone.length > 0 ? ` Running campaigns keep ${joinNames(phone.map(({ version }) => `v${version}`))}.` : ""
      notice({
        text: `${saved.name} v${saved.version} saved.${keeping}`,
        act: {
          word: "Compare",
          onAct: () =>
            void navigate({
              to: "/$account/agents/$id/{-$tab}",
              params: { account: slug, id: saved.id, tab: "versions" },
              search: { version: saved.version },
            }),
        },
      })
    },
  })
}

/**
 * Reads the agent before its kit. If another user saves in between, the ETag is outdated and the save is refused again.
 * In the other order, a save would overwrite the newer kit.
 */
const readSaved = async (client: RpcClient, id: EditedAgent["id"]) => {
  const present = await client.agents.get.query({ id })
  const [tools, playbooks] = await Promise.all([toolsOf(client, id), playbooksOf(client, id)])
  return editedFrom(present, { tools, playbooks })
}

/** True if another user changed only fields that this draft does not change. Both changes are then kept. */
const isApart = ({ base, changes }: AgentDraft, present: EditedAgent): boolean =>
  Object.keys(changes).every(
    (field) => JSON.stringify(present[field as keyof EditedAgent]) === JSON.stringify(base[field as keyof EditedAgent]),
  )
