/** Before the sign-in: the accounts that are listed publicly, and whether a typed account exists. */
import { useQuery } from "@tanstack/react-query"
import { platformQueries } from "../data/Queries.ts"
import { ask } from "../data/Rest.ts"

interface Listed {
  readonly items: ReadonlyArray<{ readonly slug: string; readonly name: string }>
}

interface Validity {
  readonly account: string
  readonly valid: boolean
  readonly reason?: "unknown" | "reserved" | "suspended"
}

export const slugForm = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const useListedAccounts = () =>
  useQuery(
    { queryKey: ["accounts"], queryFn: ({ signal }) => ask<Listed>("/api/accounts", { signal }), staleTime: 60_000 },
    platformQueries,
  )

export const useAccountCheck = (slug: string) =>
  useQuery(
    {
      queryKey: ["account", slug],
      queryFn: ({ signal }) => ask<Validity>(`/api/accounts/validate/${slug}`, { signal }),
      enabled: slugForm.test(slug),
      staleTime: 60_000,
    },
    platformQueries,
  )

/** Why users cannot sign in to the account. Undefined if they can, and while that is unknown. */
export const refusalOf = (slug: string, validity: Validity | undefined): string | undefined => {
  if (slug === "") return undefined
  if (!slugForm.test(slug)) return "Lower-case letters, digits, - and _ alone, beginning with a letter or digit."
  if (validity?.reason === "reserved") return `${slug} is not an account one can work in.`
  if (validity?.reason === "suspended") return `The account ${slug} is suspended.`
  return validity?.reason === "unknown" ? `There is no account ${slug}.` : undefined
}
