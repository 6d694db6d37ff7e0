/** Which methods a path knows, for 405 and its `Allow` (decisions §2): the router itself answers 404 to both. */
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

export type AllowedMethods = (path: string) => ReadonlyArray<string>

/** `raw` are the GET routes that stand outside of the contract. */
export const allowedMethods = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  raw: ReadonlyArray<`/${string}`>,
): AllowedMethods => {
  const table = FindMyWay.make<true>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => table.on(endpoint.method, `/${endpoint.path.slice(1)}`, true),
  })
  for (const path of raw) table.on("GET", path, true)
  return (path) => {
    const known: ReadonlyArray<string> = methods.filter((method) => table.find(method, path) !== undefined)
    return known.includes("GET") ? ["GET", "HEAD", ...known.slice(1)] : known
  }
}
