/**
 * The installation that the environment names, with the services that a command needs: its server, its directory, its
 * accounts.
 */
import { Layer } from "effect"
import { userInfo } from "node:os"
import * as ShippedContent from "../catalog/shipped/Shipped.ts"
import { AccountAccess } from "../tenancy/AccountAccess.ts"
import { AccountDatabases } from "../tenancy/AccountDatabases.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { AccountMigrations } from "../tenancy/AccountMigrations.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import { DataFolder } from "../tenancy/DataFolder.ts"
import { refuseWrongKey } from "../tenancy/EncryptionKeyCheck.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { OnlyExisting } from "../tenancy/OnlyExisting.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import { RestoredCopies } from "../tenancy/RestoredCopies.ts"
import { Shipped } from "../tenancy/Shipped.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { UnfinishedAccounts } from "../tenancy/UnfinishedAccounts.ts"
import { UnfinishedMoves } from "../tenancy/UnfinishedMoves.ts"

/** The operating system's user who runs the command; the user's id if it has no name, as in some containers. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

const origin = Layer.sync(AuditTrail.CurrentOrigin, () => ({
  actor: { type: "command_line" as const, id: null, issuer: null, name: userName() },
  address: null,
  request_id: null,
}))

/** Fails if there is no installation, or if the key opens none of its accounts. */
export const layer = Layer.effectDiscard(refuseWrongKey).pipe(
  Layer.merge(origin),
  Layer.provideMerge(Layer.mergeAll(Provisioning.layer, AccountAccess.layer, RestoredCopies.layer)),
  Layer.provideMerge(Layer.merge(UnfinishedAccounts.layer, UnfinishedMoves.layer)),
  Layer.provide(TenantDatabases.layer),
  Layer.provideMerge(AccountMigrations.layer),
  Layer.provideMerge(AccountDatabases.layer),
  Layer.provideMerge(AccountDirectory.layer),
  Layer.provideMerge(DatabaseServers.layer),
  Layer.provideMerge(PlatformDatabase.layer),
  Layer.provideMerge(Layer.merge(DatabaseServer.layer, MasterKey.layer)),
  Layer.provide(DataFolder.layer),
  Layer.provide(Layer.succeed(Shipped, ShippedContent)),
  Layer.provide(Layer.succeed(OnlyExisting, true)),
)
