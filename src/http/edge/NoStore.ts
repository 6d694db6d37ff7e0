/** Keeps answers that show a secret out of caches (decisions §2). */
import { Context } from "effect"

/** Marks an endpoint whose answer shows a key, a token or a webhook's secret. */
export class ShowsSecret extends Context.Service<ShowsSecret, true>()("http/ShowsSecret") {}

/** The router's mutations, whose answers may contain the same secrets as their REST operations. */
export const mayShowSecret = (method: string, path: string): boolean => method === "POST" && path.startsWith("/trpc/")
