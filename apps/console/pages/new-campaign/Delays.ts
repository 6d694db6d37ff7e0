/** The delays between two attempts that the console offers. */
export const delays = [
  { id: "0", word: "at once" },
  { id: "60", word: "1 min" },
  { id: "300", word: "5 min" },
  { id: "900", word: "15 min" },
  { id: "3600", word: "1 h" },
  { id: "14400", word: "4 h" },
  { id: "86400", word: "1 day" },
]
