/** The country of phone numbers without a country code. */
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

/** The server stores the parsed numbers but not the country, so this tab keeps it for the draft's next list. */
const placeOf = (draft: string) => `parley.country ${draft}`

export const rememberCountry = (draft: string, country: string): void => sessionStorage.setItem(placeOf(draft), country)

export const rememberedCountry = (draft: string): string => sessionStorage.getItem(placeOf(draft)) ?? ""

export interface DefaultCountryProps {
  /** Empty if no country is chosen. */
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
