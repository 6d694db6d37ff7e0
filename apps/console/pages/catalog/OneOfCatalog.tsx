/** One playbook or FAQ as a form: edits a draft, detects conflicting saves, deletes, and guards unsaved changes. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { z } from "zod"
import { useAccount } from "../../data/Account.tsx"
import type { Draft } from "../../data/Draft.ts"
import type { Form } from "../../data/Fields.ts"
import { useSaving } from "../../data/Saving.ts"
import { Chosen } from "../../shell/Chosen.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { SaveGuards } from "../../ui/SaveGuards.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { type CatalogUser, usersSentence } from "./CatalogUsers.ts"
import { DeleteOfCatalog } from "./DeleteOfCatalog.tsx"
import type { Shipped } from "./Shipped.ts"

interface Thing extends Shipped {
  readonly id: string
  readonly name: string
  readonly etag: string
}

export interface OneOfCatalogProps<T extends Thing> {
  readonly kind: "playbook" | "FAQ"
  readonly saved: T
  readonly title: ReactNode
  readonly draft: Draft<T>
  readonly users: ReadonlyArray<CatalogUser> | undefined
  /** The router's schema of the changes. */
  readonly schema: z.ZodType
  readonly onSave: (etag: string) => Promise<T>
  readonly onDelete: () => Promise<unknown>
  /** The queries to refetch after a change. */
  readonly queryKey: QueryKey
  readonly children: (form: Form<T>) => ReactNode
}

export const OneOfCatalog = <T extends Thing>(props: OneOfCatalogProps<T>) => {
  const { children, draft, kind, onDelete, onSave, queryKey, saved, schema, title, users } = props
  const { slug } = useAccount()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving({
    draft,
    schema,
    send: onSave,
    refresh: () => queries.invalidateQueries({ queryKey }),
    onSaved: ({ name }) => notice({ text: `${name} saved.` }),
  })
  return (
    <Chosen
      name={saved.name}
      title={title}
      beside={
        <>
          {saved.is_default && <Tag>shipped</Tag>}
          {saved.modified_from_default && <Tag tone="note">changed</Tag>}
          {draft.isDirty && <Tag tone="note">unsaved</Tag>}
        </>
      }
      second={users !== undefined && usersSentence(users)}
      acts={
        saving.mayChange && (
          <>
            {!saved.is_default && (
              <Button look="stop" onPress={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
            <SaveButton saving={saving} draft={draft} />
          </>
        )
      }
    >
      {saved.is_default && <p className="quiet">This comes with Parley. Once you change it, your version is kept.</p>}
      <SaveGuards
        saving={saving}
        draft={draft}
        saved={saved}
        name={saved.name}
        within={`/${slug}/${kind === "FAQ" ? "faqs" : "playbooks"}/${saved.id}`}
      />
      {children({ draft, problems: saving.problems, mayChange: saving.mayChange })}
      {isDeleting && (
        <DeleteOfCatalog
          kind={kind}
          name={saved.name}
          users={users ?? []}
          onDelete={onDelete}
          onClose={() => setDeleting(false)}
        />
      )}
    </Chosen>
  )
}
