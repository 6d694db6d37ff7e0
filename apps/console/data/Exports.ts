/** Files that the user saves, with a notice if saving fails. */
import { notice } from "../shell/Notices.tsx"
import { problemOf } from "./Problem.ts"
import { download } from "./Rest.ts"

/** Shows a failure as a notice with a retry, since the user may have left the page that began the export. */
export const exportAs = async (account: string, path: string, file: string, what: string): Promise<void> => {
  try {
    await download(account, path, file)
  } catch (error) {
    notice({
      text: `${what} were not exported. ${problemOf(error).detail}`,
      act: { word: "Try again", onAct: () => void exportAs(account, path, file, what) },
    })
  }
}
