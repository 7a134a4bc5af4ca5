/** 02:30 UTC, when there are hardly any payments. UTC is the local time of Mauritania all year. */
const hour = 2
const minute = 30
const dayMs = 86_400_000

/** The time of the clean-up as a BullMQ schedule. The first field is seconds. */
export const nightly = { pattern: `0 ${minute} ${hour} * * *`, tz: 'UTC' } as const

/** Returns when the last clean-up before or at `now` was due. */
export function lastDue(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(hour, minute, 0, 0)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}
