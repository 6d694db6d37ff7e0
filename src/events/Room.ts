/** The room's one layer: the courier, and the guard of the addresses that webhooks may have. */
import { Layer } from "effect"
import { AddressGuard } from "../outbound/AddressGuard.ts"
import * as Courier from "./Courier.ts"

export const layer = Courier.layer.pipe(Layer.provideMerge(AddressGuard.layer))
