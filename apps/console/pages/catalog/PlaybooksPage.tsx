/** Playbooks: parts of a prompt that agents share, each with the tools that it needs. */
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { SearchedListPage } from "../../shell/SearchedListPage.tsx"
import { NewPlaybook } from "./NewPlaybook.tsx"
import { PlaybookEditor } from "./PlaybookEditor.tsx"
import { shippedWord } from "./Shipped.ts"

const about = "A playbook is a part of a prompt that several agents share, with the tools that it counts on."

export const PlaybooksPage = () => {
  const rpc = useRpc()
  const { playbooks } = useRpcClient()
  return (
    <SearchedListPage
      title="Playbooks"
      one="playbook"
      to="/$account/playbooks/{-$id}"
      under={rpc.playbooks.pathKey()}
      from={playbooks}
      nameOf={({ name }) => name}
      entryOf={(playbook) => ({
        name: playbook.name,
        state: shippedWord(playbook) ?? playbook.display_name,
        aside: playbook.category,
      })}
      dialog={NewPlaybook}
      about={about}
      search="Filter playbooks"
      note={about}
    >
      {(playbook) => <PlaybookEditor key={playbook.id} playbook={playbook} />}
    </SearchedListPage>
  )
}
