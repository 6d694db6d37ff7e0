/** The country of numbers that are written without a country code. */
import { getCountries } from "libphonenumber-js/min"
import { SelectMenu } from "../../ui/SelectMenu.tsx"

const names = new Intl.DisplayNames(undefined, { type: "region" })

const none = { id: "none", word: "None: every number has its country code" }

const choices = [
  none,
  ...getCountries()
    .map((id) => ({ id: id as string, word: names.of(id) ?? id }))
    .toSorted((a, b) => a.word.localeCompare(b.word)),
]

export interface DefaultCountryProps {
  /** Empty: none. */
  readonly chosen: string
  readonly onChoose: (country: string) => void
}

export const DefaultCountry = ({ chosen, onChoose }: DefaultCountryProps) => (
  <SelectMenu
    form="field"
    label="Country of numbers without a country code"
    choices={choices}
    chosen={chosen === "" ? none.id : chosen}
    onChoose={(id) => onChoose(id === none.id ? "" : id)}
  />
)
