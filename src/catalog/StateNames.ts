/** The states of the US and the provinces of Canada: their codes by their names, in lower case. */
const us: ReadonlyArray<readonly [code: string, name: string]> = [
  ...([
    ["AL", "Alabama"],
    ["AK", "Alaska"],
    ["AZ", "Arizona"],
    ["AR", "Arkansas"],
    ["CA", "California"],
  ] as const),
  ...([
    ["CO", "Colorado"],
    ["CT", "Connecticut"],
    ["DE", "Delaware"],
    ["FL", "Florida"],
    ["GA", "Georgia"],
  ] as const),
  ...([
    ["HI", "Hawaii"],
    ["ID", "Idaho"],
    ["IL", "Illinois"],
    ["IN", "Indiana"],
    ["IA", "Iowa"],
  ] as const),
  ...([
    ["KS", "Kansas"],
    ["KY", "Kentucky"],
    ["LA", "Louisiana"],
    ["ME", "Maine"],
    ["MD", "Maryland"],
  ] as const),
  ...([
    ["MA", "Massachusetts"],
    ["MI", "Michigan"],
    ["MN", "Minnesota"],
    ["MS", "Mississippi"],
  ] as const),
  ...([
    ["MO", "Missouri"],
    ["MT", "Montana"],
    ["NE", "Nebraska"],
    ["NV", "Nevada"],
    ["NH", "New Hampshire"],
  ] as const),
  ...([
    ["NJ", "New Jersey"],
    ["NM", "New Mexico"],
    ["NY", "New York"],
    ["NC", "North Carolina"],
  ] as const),
  ...([
    ["ND", "North Dakota"],
    ["OH", "Ohio"],
    ["OK", "Oklahoma"],
    ["OR", "Oregon"],
    ["PA", "Pennsylvania"],
  ] as const),
  ...([
    ["RI", "Rhode Island"],
    ["SC", "South Carolina"],
    ["SD", "South Dakota"],
    ["TN", "Tennessee"],
  ] as const),
  ...([
    ["TX", "Texas"],
    ["UT", "Utah"],
    ["VT", "Vermont"],
    ["VA", "Virginia"],
    ["WA", "Washington"],
  ] as const),
  ...([
    ["WA", "Washington State"],
    ["WV", "West Virginia"],
    ["WI", "Wisconsin"],
    ["WY", "Wyoming"],
  ] as const),
  ...([
    ["DC", "District of Columbia"],
    ["DC", "Washington D.C."],
  ] as const),
]
const canada: ReadonlyArray<readonly [code: string, name: string]> = [
  ...([
    ["AB", "Alberta"],
    ["BC", "British Columbia"],
    ["MB", "Manitoba"],
    ["NB", "New Brunswick"],
  ] as const),
  ...([
    ["NL", "Newfoundland and Labrador"],
    ["NS", "Nova Scotia"],
    ["NT", "Northwest Territories"],
  ] as const),
  ...([
    ["NU", "Nunavut"],
    ["ON", "Ontario"],
    ["PE", "Prince Edward Island"],
    ["QC", "Quebec"],
  ] as const),
  ...([
    ["SK", "Saskatchewan"],
    ["YT", "Yukon"],
  ] as const),
]

export interface State {
  readonly country: "US" | "CA"
  readonly state: string
}

const known = new Map<string, State>()
for (const [country, states] of [
  ["US", us],
  ["CA", canada],
] as const) {
  for (const [state, name] of states) {
    known.set(name.toLowerCase(), { country, state })
    known.set(state.toLowerCase(), { country, state })
  }
}

/** The state by its code or its English name, in any case. No code stands for a state of both countries. */
export const stateNamed = (text: string): State | undefined => known.get(text.toLowerCase())
