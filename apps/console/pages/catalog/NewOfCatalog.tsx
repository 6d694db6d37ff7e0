/** The dialog that creates an FAQ or a playbook and opens it. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useFields } from "../../data/Fields.ts"
import { FormDialog, type FormDialogProps } from "../../ui/FormDialog.tsx"
import { catalogPlaces } from "./CatalogPlaces.ts"

export interface NewOfCatalogProps<T extends object> extends Pick<
  FormDialogProps<T>,
  "children" | "onClose" | "schema"
> {
  readonly kind: "FAQ" | "playbook"
  /** The fields of an empty form. */
  readonly empty: T
  readonly create: (fields: T) => Promise<{ readonly id: string }>
  /** The query to refetch after the creation. */
  readonly queryKey: QueryKey
}

export const NewOfCatalog = <T extends object>(props: NewOfCatalogProps<T>) => {
  const { create, empty, kind, onClose, queryKey, ...form } = props
  const { slug } = useAccount()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields(empty)
  return (
    <FormDialog
      {...form}
      title={`New ${kind}`}
      verb={`Create ${kind}`}
      draft={draft}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await create(draft.value)
        await queries.invalidateQueries({ queryKey })
        onClose()
        await navigate({ to: catalogPlaces[kind], params: { account: slug, id } })
      }}
    />
  )
}
