/** The signed-in user and the accounts that they may open. */
import { useQuery } from "@tanstack/react-query"
import { platformQueries } from "../data/Queries.ts"
import { ask } from "../data/Rest.ts"
import { currentToken, useSession } from "./Session.ts"

export type Role = "owner" | "member" | "viewer"

export interface Organisation {
  readonly subject: string
  readonly email: string | null
  readonly name: string | null
  readonly accounts: ReadonlyArray<{ readonly slug: string; readonly name: string; readonly role: Role }>
}

const organisation = (token: string | null) => ({
  queryKey: ["organisation", token],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    ask<Organisation>("/api/user/org", { signal, headers: { authorization: `Bearer ${token ?? ""}` } }),
  enabled: token !== null,
  staleTime: 60_000,
})

export const useOrganisation = () => {
  useSession()
  return useQuery(organisation(currentToken()), platformQueries)
}
