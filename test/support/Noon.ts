/** Where it is noon: the day there lasts for as long as any test does, whenever it runs. */
export const zoneOfNoon = (now = new Date()): string => {
  const ahead = 12 - now.getUTCHours()
  return ahead === 0 ? "Etc/GMT" : `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`
}
