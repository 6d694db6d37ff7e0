/** The server's public settings: its identity provider, and whether the development login exists. */
import { useQuery } from "@tanstack/react-query"
import { platformQueries } from "../data/Queries.ts"
import { ask } from "../data/Rest.ts"

export interface ServerSettings {
  readonly oidc: { readonly issuer: string; readonly client_id: string } | null
  readonly development_login: boolean
}

const serverSettings = {
  queryKey: ["settings"],
  queryFn: ({ signal }: { signal: AbortSignal }) => ask<ServerSettings>("/console/settings.json", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
}

export const useServerSettings = () => useQuery(serverSettings, platformQueries)
