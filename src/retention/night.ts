/** 02:30 UTC, which is Mauritania's own time all year: hardly anybody pays then. */
const hour = 2
const minute = 30
const dayMs = 86_400_000

/** The same, for BullMQ; its seconds come first. */
export const nightly = { pattern: `0 ${minute} ${hour} * * *`, tz: 'UTC' } as const

/** When the last clean-up before `now`, or at it, was due. */
export function lastDue(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(hour, minute, 0, 0)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}
