/** Which addresses an http tool may reach, and the agent's message about one that it may not. */
import { Context, Effect, Layer } from "effect"
import * as Outbound from "../outbound/AddressGuard.ts"
import { ToolFailed } from "./ToolRunner.ts"

export type { Admitted } from "../outbound/AddressGuard.ts"

/** The same sentence for every network failure. */
export const unreachable = new ToolFailed({
  code: "unreachable",
  reason: "The tool's server could not be reached",
  is_transient: true,
})

const refused = new ToolFailed({
  code: "address_refused",
  reason: "The tool's URL leads to an address that http tools may not reach. Use https and a public address",
})

/** All addresses of a host's name. */
export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<string>, ToolFailed>

export class ToolAddressGuard extends Context.Service<
  ToolAddressGuard,
  { readonly admit: (url: string) => Effect.Effect<Outbound.Admitted, ToolFailed> }
>()("tools/ToolAddressGuard") {
  private static readonly layerOver = Layer.effect(
    this,
    Effect.map(Outbound.AddressGuard, (guard) => ({
      admit: (url) =>
        Effect.catchTags(guard.admit(url), { HostUnreachable: () => unreachable, AddressRefused: () => refused }),
    })),
  )

  static readonly layerWith = (resolve: Resolve) =>
    this.layerOver.pipe(
      Layer.provide(
        Outbound.AddressGuard.layerWith((hostname) =>
          Effect.mapError(resolve(hostname), () => new Outbound.HostUnreachable()),
        ),
      ),
    )

  static readonly layer = this.layerOver.pipe(Layer.provide(Outbound.AddressGuard.layer))
}
