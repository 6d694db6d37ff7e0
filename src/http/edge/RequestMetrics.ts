/**
 * Metrics of requests: their number by route and kind of answer, and their durations. Labels are the routes of the
 * contract, never a client's path, so there are as many series as routes.
 */
import { Clock, Effect, Metric } from "effect"
import type { RouteOf } from "./RouteTable.ts"

/** Seconds. The fastest read takes about a millisecond; above ten seconds no client waits. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Open for as long as the client follows it: it is counted, but has no duration. */
const stream = "/api/v1/campaigns/{id}/events"

const requests = (method: string, route: string, status: string) =>
  Metric.counter("parley_http_requests_total", {
    description: "Answered requests by method, route and class of status.",
    incremental: true,
    attributes: { method, route, status },
  })

const durations = (method: string, route: string) =>
  Metric.histogram("parley_http_request_duration_seconds", {
    description: "From the request's head to its answer; campaign streams are left out.",
    boundaries,
    attributes: { method, route },
  })

/** Any other method is counted as `other`, since a client can send any word. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Records an answered request. Every request passes here, so its series are looked up and not created again. */
export const make = Effect.fnUntraced(function* (routeOf: RouteOf) {
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  const counters = new Map<string, ReturnType<typeof requests>>()
  const timers = new Map<string, ReturnType<typeof durations>>()

  return {
    begin: () => clock.monotonicTimeNanosUnsafe(),
    end: (sent: string, path: string, status: number, began: bigint) => {
      const method = methods.has(sent) ? sent : "other"
      const route = routeOf(method, path) ?? "none"
      const operation = `${method} ${route}`
      const kind = `${Math.trunc(status / 100)}xx`
      let counter = counters.get(kind + operation)
      if (counter === undefined) counters.set(kind + operation, (counter = requests(method, route, kind)))
      counter.updateUnsafe(1, context)
      if (route === stream) return
      let timer = timers.get(operation)
      if (timer === undefined) timers.set(operation, (timer = durations(method, route)))
      timer.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9, context)
    },
  }
})
