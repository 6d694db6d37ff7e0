/** Why a row of a contact list was refused, in the page's words. The server's words name the fields of the API. */
import { sentence } from "../../ui/ProblemLine.tsx"

export const faultWords = (detail: string): string =>
  sentence(detail.replace("Choose a default country (default_country)", "Choose a default country above"))
