/**
 * Whether this process works only on an installation that exists, as the `parley` command does: it makes no encryption
 * key, no platform database and no embedded server, and changes nothing unless it is told to.
 */
import { Context } from "effect"

export const OnlyExisting = Context.Reference<boolean>("tenancy/OnlyExisting", { defaultValue: () => false })
