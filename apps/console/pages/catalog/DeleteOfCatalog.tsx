/** The confirmation before a tool, a playbook or an FAQ is deleted. It lists the agents that lose it. */
import { IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { joinNames } from "../../words/Figures.ts"
import { catalogPlaces } from "./CatalogPlaces.ts"
import type { CatalogUser } from "./CatalogUsers.ts"

export interface DeleteOfCatalogProps {
  readonly kind: keyof typeof catalogPlaces
  readonly name: string
  readonly users: ReadonlyArray<CatalogUser>
  readonly onDelete: () => Promise<unknown>
  readonly onClose: () => void
}

export const DeleteOfCatalog = ({ kind, name, onClose, onDelete, users }: DeleteOfCatalogProps) => {
  const { slug } = useAccount()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const icon = <IconX size={14} aria-hidden />
  const remove = async () => {
    await onDelete()
    notice({ text: `${name} is deleted.` })
    await navigate({ to: catalogPlaces[kind], params: { account: slug } })
    await queries.invalidateQueries()
  }
  const used =
    users.length === 0
      ? "No agent has it."
      : `${joinNames(users.map((user) => user.name))} ${users.length === 1 ? "has" : "have"} it.`
  return (
    <Confirm
      question={`Delete ${name}?`}
      lines={[
        { icon, text: used },
        { icon, text: "This can’t be undone. Versions of agents keep their copy." },
      ]}
      verb={`Delete the ${kind}`}
      leave="Keep it"
      onConfirm={remove}
      isOpen
      onClose={onClose}
    />
  )
}
