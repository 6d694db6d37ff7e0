/**
 * The questions that a draft asks its user: changes that an earlier visit left unsaved, and fields that another user
 * has saved since.
 */
import { useZone } from "../../data/AccountPulse.ts"
import type { Saving } from "../../data/Saving.ts"
import { useNow } from "../../shell/Clock.ts"
import { Button } from "../../ui/Button.tsx"
import { joinNames } from "../../words/Figures.ts"
import { moment } from "../../words/Times.ts"
import type { AgentDraft } from "./Agent.ts"
import { fieldWords } from "./FieldWords.ts"

interface DraftOffersProps {
  readonly draft: AgentDraft
  readonly saving: Saving
  /** The saved version. */
  readonly version: number
}

export const DraftOffers = ({ draft, saving, version }: DraftOffersProps) => {
  const zone = useZone()
  const now = useNow()
  return (
    <>
      {draft.isTakenUp && draft.keptAt !== undefined && (
        <p className="Agent-offer">
          You have changes from {moment(draft.keptAt, now, zone)} that are not saved:{" "}
          {joinNames(fieldWords(Object.keys(draft.changes)))}.
          <Button look="quiet" size="row" onPress={draft.drop}>
            Discard changes
          </Button>
        </p>
      )}
      {draft.overlap.length > 0 && !saving.isConflict && (
        <p className="Agent-offer">
          v{version} was saved in the meantime, with another {joinNames(fieldWords(draft.overlap))}.
          <Button size="row" onPress={() => saving.showConflict(true)}>
            See both
          </Button>
        </p>
      )}
    </>
  )
}
