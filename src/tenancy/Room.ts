/** The room's one layer: the server, the platform's database, the directory and the open databases of accounts. */
import { Layer } from "effect"
import { AccountAccess } from "./AccountAccess.ts"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import { AccountMigrations } from "./AccountMigrations.ts"
import { DatabaseServer } from "./DatabaseServer.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import { DataFolder } from "./DataFolder.ts"
import { InboundNumbers } from "./InboundNumbers.ts"
import { RegisteredNumbers } from "./RegisteredNumbers.ts"
import { MasterKey } from "./MasterKey.ts"
import { Notices } from "./Notices.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { Provisioning } from "./Provisioning.ts"
import { RestoredCopies } from "./RestoredCopies.ts"
import { TenantDatabases } from "./TenantDatabases.ts"
import { UnfinishedAccounts } from "./UnfinishedAccounts.ts"
import { UnfinishedMoves } from "./UnfinishedMoves.ts"

export const layer = Layer.mergeAll(Provisioning.layer, AccountAccess.layer, RestoredCopies.layer).pipe(
  Layer.provideMerge(Layer.merge(UnfinishedAccounts.layer, UnfinishedMoves.layer)),
  Layer.provideMerge(
    Layer.mergeAll(TenantDatabases.layer, Notices.layer, InboundNumbers.layer, RegisteredNumbers.layer),
  ),
  Layer.provideMerge(AccountMigrations.layer),
  Layer.provide(AccountDatabases.layer),
  Layer.provideMerge(AccountDirectory.layer),
  Layer.provideMerge(DatabaseServers.layer),
  Layer.provideMerge(PlatformDatabase.layer),
  Layer.provideMerge(Layer.merge(DatabaseServer.layer, MasterKey.layer)),
  Layer.provideMerge(DataFolder.layer),
)
