/** Clean-ups start at 02:30 UTC, when there are hardly any payments. Mauritania's local time is UTC all year round. */
const hour = 2
const minute = 30
const dayMs = 86_400_000

/** The time of the clean-up as a BullMQ schedule. The first field of the pattern contains the seconds. */
export const nightly = { pattern: `0 ${minute} ${hour} * * *`, tz: 'UTC' } as const

/** Returns the most recent time, at or before `now`, at which a clean-up was due. */
export function lastDue(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(hour, minute, 0, 0)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}
