/** A time zone in which it is noon now, so that the day there does not change during a test. */
export const zoneOfNoon = (now = new Date()): string => {
  const ahead = 12 - now.getUTCHours()
  return ahead === 0 ? "Etc/GMT" : `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`
}
