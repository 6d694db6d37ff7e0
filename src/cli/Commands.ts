/** The commands of `parley`, as `parley --help` lists them. */
import { Command } from "effect/cli"
import { accounts } from "./AccountCommands.ts"
import { cells } from "./CellCommands.ts"
import { doctor } from "./Doctor.ts"
import { receipts } from "./ReceiptCommands.ts"
import { repair } from "./Repair.ts"
import { rotateKey } from "./RotateKey.ts"
import { servers } from "./ServerCommands.ts"
import { verify } from "./Verify.ts"

export const parley = Command.make("parley").pipe(
  Command.withDescription(
    "Looks after an installation of Parley. The commands read the same environment as the server: DATABASE_URL, PARLEY_DATA_DIR and PARLEY_ENCRYPTION_KEY say which installation is meant.",
  ),
  Command.withSubcommands([doctor, accounts, servers, cells, repair, verify, receipts, rotateKey]),
)
