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

/** The server keeps the numbers as it read them, not the country: this tab does, for the next list of the same draft. */
const placeOf = (draft: string) => `parley.country ${draft}`

export const rememberCountry = (draft: string, country: string): void => sessionStorage.setItem(placeOf(draft), country)

export const rememberedCountry = (draft: string): string => sessionStorage.getItem(placeOf(draft)) ?? ""

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
