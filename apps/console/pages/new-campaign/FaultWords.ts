/** Why a row of a contact list was refused, in the words of the page: the server names the field of the API. */
import { sentence } from "../../ui/ProblemLine.tsx"

export const faultWords = (detail: string): string =>
  sentence(detail.replace("Choose a default country (default_country)", "Choose a default country above"))
