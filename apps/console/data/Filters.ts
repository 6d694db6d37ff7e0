/** The filters of a list, which are kept in the URL. */
import { useNavigate } from "@tanstack/react-router"

/** A menu's choice that filters nothing. It is not in the URL. */
export const any = { id: "any", word: "any" }

/** The parameters that a changed filter removes from the URL, so that the list starts at its first page. */
export const firstPage = { page: undefined, before: undefined }

/**
 * Returns a function that sets a filter by name. A day is typed key by key, so it replaces the entry in the history.
 */
export const useSetFilter = () => {
  const navigate = useNavigate()
  return (name: string) => (value: string) =>
    void navigate({
      to: ".",
      search: (before) => ({
        ...before,
        ...firstPage,
        [name]: value === any.id || value === "" ? undefined : value,
      }),
      replace: name === "from" || name === "to",
    })
}
