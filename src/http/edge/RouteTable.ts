/**
 * The routes by path, apart from the router: for 405 and its `Allow` (the router answers 404 to both), and for metrics.
 */
import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { mayShowSecret, ShowsSecret } from "./NoStore.ts"
import { matching } from "./RequestTarget.ts"

/**
 * The router and this table match by the same rules. The longest parameters are an escaped name of 200 letters and a
 * batch's procedures.
 */
export const config = { ...matching, maxParamLength: 4_096 } as const

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** The methods that a path has (decisions §2). */
export type AllowedMethods = (path: string) => ReadonlyArray<string>

/** The route of a request, such as `/api/tools/{id}`; undefined if there is none. */
export type RouteOf = (method: string, path: string) => string | undefined

/** Whether the answer to a request shows a secret. */
export type IsSecret = (method: string, path: string) => boolean

export interface Routes {
  readonly allowed: AllowedMethods
  readonly routeOf: RouteOf
  readonly isSecret: IsSecret
}

/** `raw` has the routes outside the contract, by method. */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  raw: { readonly GET: ReadonlyArray<`/${string}`>; readonly POST: ReadonlyArray<`/${string}`> },
): Routes => {
  const table = FindMyWay.make<string>(config)
  const secret = { methods: new Set<string>(), routes: new Set<string>() }
  const enter = (method: string, path: `/${string}`) => table.on(method, path, path.replaceAll(/:(\w+)/g, "{$1}"))
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      enter(endpoint.method, `/${endpoint.path.slice(1)}`)
      if (Context.getOrUndefined(mergedAnnotations, ShowsSecret) !== true) return
      secret.methods.add(endpoint.method)
      secret.routes.add(`${endpoint.method} ${endpoint.path}`)
    },
  })
  for (const path of raw.GET) enter("GET", path)
  for (const path of raw.POST) enter("POST", path)
  return {
    allowed: (path) => {
      const known: ReadonlyArray<string> = methods.filter((method) => table.find(method, path) !== undefined)
      return known.includes("GET") ? ["GET", "HEAD", ...known.slice(1)] : known
    },
    isSecret: (method, path) => {
      const route = secret.methods.has(method) ? table.find(method, path)?.handler : undefined
      return mayShowSecret(method, path) || (route !== undefined && secret.routes.has(`${method} ${route}`))
    },
    // HEAD goes with every GET.
    routeOf: (method, path) => table.find(method === "HEAD" ? "GET" : method, path)?.handler,
  }
}
